/** One thing that is wrong with what a command was given. `pointer` is a JSON pointer into a file, where there is one. */
export interface RefusalProblem {
  pointer?: string
  detail: string
}

interface RefusalOptions {
  problems?: readonly RefusalProblem[]
  /** The words for people, where they are more than the message. */
  text?: string
  /** More about it for programs: with `--json` within the `error`. */
  details?: object
  /** What the command found out all the same: with `--json` it stands beside the `error`. */
  result?: object
}

/** A command that cannot do what it was asked. The message is for the operator and names the remedy; exit code 1. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: string
  readonly problems: readonly RefusalProblem[]
  readonly text: string
  readonly details: object
  readonly result: object

  constructor(code: string, message: string, options: RefusalOptions = {}) {
    super(message)
    this.code = code
    this.problems = options.problems ?? []
    this.text = options.text ?? message
    this.details = options.details ?? {}
    this.result = options.result ?? {}
  }
}
