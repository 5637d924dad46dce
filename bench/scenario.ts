import type { Steps } from './bounded-run.ts'

/** How much a run does. */
export interface RunSize {
  /** The shortest form, which shows that the scenario works. Its figures mean nothing. */
  isQuick: boolean
}

/** One run of a scenario. */
export type Run = RunSize & Steps

/** What `npm run bench -- NAME` measures. */
export interface Scenario {
  /** The run stops by itself after so many minutes. */
  maxMinutes(size: RunSize): number
  /** Returns the report, as Markdown. */
  measure(run: Run): Promise<string>
}
