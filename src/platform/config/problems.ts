/** Reports every problem with the configuration in one message. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly summary = 'Housebill cannot start with this configuration'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super()
    this.problems = problems
    this.message = [`${this.summary}:`, ...problems.map((problem) => `  - ${problem}`)].join('\n')
  }
}
