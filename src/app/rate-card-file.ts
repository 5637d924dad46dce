import { type RateCard, rateCardSchema } from '../quoting/rates/rate-card.ts'
import { rateCardProblems } from '../quoting/rates/rate-card-rules.ts'
import { displayPath, readCheckedJson, UnusableFileError } from './operator-file.ts'

const schema = rateCardSchema()

/** Reads and fully checks a rate card file. Throws UnusableFileError naming every problem. */
export async function readRateCardFile(file: string | URL): Promise<RateCard> {
  // This cast is safe: the schema has checked the value.
  const card = (await readCheckedJson(file, schema)) as RateCard
  const problems = rateCardProblems(card)
  if (problems.length === 0) return card
  throw new UnusableFileError(displayPath(file), problems)
}
