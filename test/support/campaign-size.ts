/**
 * Whether to run campaigns (fuzzing, storms, kills) at full size, as `npm run test:full` does. A file that is run by
 * name runs a smaller one.
 */
export const isFullSize = process.env.TEST_SIZE === 'full'

/** Reads a whole number from the environment, such as `SEED`; undefined if it is not set. */
export function wholeNumberFromEnv(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`)
  return Number(text)
}

/**
 * `SEED` if it is set, otherwise 1 for a small campaign and a random number for a full one. Print the seed, so that the
 * run can be repeated.
 */
export function campaignSeed(): number {
  return wholeNumberFromEnv('SEED') ?? (isFullSize ? Math.floor(Math.random() * 1_000_000) : 1)
}
