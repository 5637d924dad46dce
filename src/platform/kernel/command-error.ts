/** One problem with the input of a command. `pointer` is a JSON pointer into the input file, if there is one. */
export interface CommandProblem {
  pointer?: string
  detail: string
}

interface CommandErrorOptions {
  problems?: readonly CommandProblem[]
  /** What to print on a terminal, if it differs from the message. */
  text?: string
  /** Further fields for `error` in `--json` output. */
  details?: object
  /** Results that the command produced despite the error: printed next to `error` in `--json` output. */
  result?: object
}

/** A command failed for a reason the operator can fix. The message says how; the exit code is 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string
  readonly problems: readonly CommandProblem[]
  readonly text: string
  readonly details: object
  readonly result: object

  constructor(code: string, message: string, options: CommandErrorOptions = {}) {
    super(message)
    this.code = code
    this.problems = options.problems ?? []
    this.text = options.text ?? message
    this.details = options.details ?? {}
    this.result = options.result ?? {}
  }
}
