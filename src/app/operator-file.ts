import { type OperatorFile, operatorFileSchema } from '../contracts/operator-file.ts'
import { displayPath, type FileProblem, readCheckedJson, UnusableFileError } from './checked-file.ts'

const schema = operatorFileSchema()

/** Reads and checks the operator's file. Throws UnusableFileError naming every problem. */
export async function readOperatorFile(file: string | URL): Promise<OperatorFile> {
  const operator = (await readCheckedJson(file, schema)) as OperatorFile
  const problems = contradictions(operator)
  if (problems.length > 0) throw new UnusableFileError(displayPath(file), problems)
  return operator
}

/** A text about fees beside the figures from which documents make their own words could contradict them. */
function contradictions({ terms, earlyExit, latePayment }: OperatorFile): FileProblem[] {
  const remove = (text: string, figures: string) => ({
    pointer: `/terms/${text}`,
    detail: `remove it: documents state /${figures} in words, and this text could contradict them`,
  })
  return [
    ...(earlyExit !== undefined && terms.endingEarly !== undefined ? [remove('endingEarly', 'earlyExit')] : []),
    ...(latePayment !== undefined && terms.latePayment !== undefined ? [remove('latePayment', 'latePayment')] : []),
  ]
}

/** What gives away that a text of the sample is about the invented business, and so cannot be another's. */
const invented = /sample|example|ZZ1|01632 960|0000 ?0000|000 0000/i

/** Lists the texts of the sample's invented business in an operator's file, which live must not show to tenants. */
export function sampleProblems(operator: OperatorFile, sample: OperatorFile): string[] {
  if (operator.sample === true)
    return ['OPERATOR_FILE is the sample file: HOUSEBILL_ENV=live needs your own operator file']
  const ofSample = new Set(leavesOf(sample).flatMap(({ text }) => (invented.test(text) ? [text] : [])))
  return leavesOf(operator)
    .filter(({ text }) => ofSample.has(text) || text.includes(sample.trader.name))
    .map(({ pointer }) => `OPERATOR_FILE has the sample's words in ${pointer}: replace them with your own`)
}

function leavesOf(value: unknown, pointer = ''): { pointer: string; text: string }[] {
  if (typeof value === 'string') return [{ pointer, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, `${pointer}/${name}`))
}
