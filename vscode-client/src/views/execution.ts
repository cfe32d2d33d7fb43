/** Executions as sent by the server: of a mutant, a property or a fault of the model. */

import { isRange, isRecord, type Range } from "../protocol";

/** Method of the request for an {@link Execution}. */
export const TRACE_METHOD = "mutproof/trace";

/** Method of the request for an execution in a format for other programs. */
export const TRACE_FILE_METHOD = "mutproof/traceFile";

/** Formats in which executions are saved; each is the suffix of its files. */
export const TRACE_FORMATS = ["csv", "vcd"] as const;

/** Format in which an execution is saved. */
export type TraceFormat = (typeof TRACE_FORMATS)[number];

/** Values of a variable on one side; `numbers` is empty if they are not numbers. */
export interface Shape {
  readonly values: readonly string[];
  readonly numbers: readonly (number | null)[];
}

/** Course of a variable; `differing` are the 0-based steps at which the sides differ. */
export interface Course {
  readonly name: string;
  readonly input: boolean;
  /** Whether it is in the cone of influence of what the execution shows. */
  readonly cone: boolean;
  /** Whether it is Boolean. */
  readonly truth: boolean;
  readonly range: Range | undefined;
  readonly sides: readonly Shape[];
  readonly differing: readonly number[];
}

/** An execution, or two: of model and mutant; `step` (0-based) is selected first. */
export interface Execution {
  readonly title: string;
  readonly about: string;
  readonly stale: boolean;
  readonly sides: readonly { readonly title: string; readonly loop: number | undefined }[];
  readonly length: number;
  readonly step: number;
  readonly notes: readonly string[];
  readonly range: Range | undefined;
  readonly variables: readonly Course[];
}

/** Return the execution in `value`; undefined if it is not one. */
export function parseExecution(value: unknown): Execution | undefined {
  if (!isRecord(value) || !Array.isArray(value.variables) || !Array.isArray(value.sides)) {
    return undefined;
  }
  const { title, about, length, step } = value;
  if (typeof title !== "string" || typeof length !== "number" || typeof step !== "number") {
    return undefined;
  }
  const variables = value.variables.map(parseCourse);
  if (!variables.every((course) => course !== undefined)) {
    return undefined;
  }
  return {
    title,
    about: typeof about === "string" ? about : "",
    stale: value.stale === true,
    sides: value.sides.filter(isRecord).map((side) => ({
      title: String(side.title),
      loop: typeof side.loop === "number" ? side.loop : undefined,
    })),
    length,
    step,
    notes: Array.isArray(value.notes) ? value.notes.map(String) : [],
    range: isRange(value.range) ? value.range : undefined,
    variables,
  };
}

function parseCourse(value: unknown): Course | undefined {
  if (!isRecord(value) || typeof value.name !== "string" || !Array.isArray(value.sides)) {
    return undefined;
  }
  const { differing } = value;
  return {
    name: value.name,
    input: value.input === true,
    cone: value.cone === true,
    truth: value.truth === true,
    range: isRange(value.range) ? value.range : undefined,
    sides: value.sides.filter(isRecord).map(({ values, numbers }) => ({
      values: Array.isArray(values) ? values.map(String) : [],
      numbers: Array.isArray(numbers)
        ? numbers.map((number: unknown) => (typeof number === "number" ? number : null))
        : [],
    })),
    differing: Array.isArray(differing)
      ? differing.filter((step): step is number => typeof step === "number")
      : [],
  };
}
