;; Opens the model of a scenario in Emacs with eglot and prints one JSON object for each check.
;; Arguments: scenario file, words of the command of the server.

(require 'eglot)
(require 'json)

(define-derived-mode lustre-mode prog-mode "Lustre")
(define-derived-mode smv-mode prog-mode "SMV")
(add-to-list 'auto-mode-alist '("\\.lus\\'" . lustre-mode))
(add-to-list 'auto-mode-alist '("\\.smv\\'" . smv-mode))

(defvar e2e-scenario
  (json-parse-string
   (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string))
   :object-type 'alist))
(defvar e2e-server (prog1 command-line-args-left (setq command-line-args-left nil)))
(add-to-list 'eglot-server-programs (cons '(lustre-mode smv-mode) e2e-server))
(setq eglot-sync-connect 30 eglot-connect-timeout 60 eglot-confirm-server-initiated-edits nil)

(defun e2e-check (name ok)
  (princ (concat (json-serialize (list :name name :ok (if ok t :false))) "\n")))

(defun e2e-until (test)
  (let ((deadline (+ (float-time) (alist-get 'timeout_s e2e-scenario))) found)
    (while (and (not (setq found (funcall test))) (< (float-time) deadline))
      (accept-process-output nil 0.1))
    found))

(defun e2e-ask (method &rest more)
  (jsonrpc-request (eglot--current-server-or-lose) method
                   (append (list :textDocument (eglot--TextDocumentIdentifier)) more)))

(defun e2e-warnings ()
  (seq-count (lambda (one) (eq (flymake-diagnostic-type one) 'eglot-warning))
             (flymake-diagnostics)))

(find-file (alist-get 'file e2e-scenario))
(apply #'eglot (eglot--guess-contact))
(unless (eglot-managed-p) (eglot--maybe-activate-editing-mode))
(flymake-start)
(e2e-check "gaps are warnings of flymake"
           (e2e-until (lambda () (flymake-start) (> (e2e-warnings) 0))))
(e2e-check "a lens says that a property is proved"
           (e2e-until (lambda ()
                        (seq-some (lambda (lens)
                                    (string-match-p "proved" (or (plist-get (plist-get lens :command) :title) "")))
                                  (e2e-ask :textDocument/codeLens)))))
(goto-char (point-min))
(forward-line (1- (alist-get 'gap_line e2e-scenario)))
(forward-char (1- (alist-get 'gap_column e2e-scenario)))
(let ((hover (e2e-ask :textDocument/hover :position (eglot--pos-to-lsp-position))))
  (e2e-check "a hover names the mutant"
             (string-match-p (alist-get 'gap_mutant e2e-scenario)
                             (format "%s" (plist-get hover :contents)))))
(eglot-shutdown (eglot--current-server-or-lose))
(kill-emacs 0)
