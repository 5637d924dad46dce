/** The value below which this percentage of the values lies; 0 if there are no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}

/** Formats a duration for a table, e.g. `0.123 ms`. */
export function formatMilliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`
}
