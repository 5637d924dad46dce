/** The value below which this percentage of the values lies; 0 if there are no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}

/** The middle of the values. */
export const median = (values: readonly number[]): number => percentile(values, 50)
