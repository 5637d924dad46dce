/** Collects everything wrong with a configuration, so that the operator reads it all at once. */
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
