/** One run of a scenario. */
export interface Run {
  /** The shortest form, which shows that the scenario works. Its figures mean nothing. */
  isQuick: boolean
  /** How many quotes and properties the scenario `growth` makes. */
  quotes: number
  properties: number
  /** Adds something to stop when the run ends, however it ends. The last added is stopped first. */
  atEnd(stop: () => Promise<unknown>): void
  /** Prints how far the run is. */
  say(what: string): void
}

/** What `npm run bench -- NAME` measures. */
export interface Scenario {
  /** The run stops by itself after so many minutes. */
  maxMinutes(run: Run): number
  /** Returns the report, as Markdown. */
  measure(run: Run): Promise<string>
}
