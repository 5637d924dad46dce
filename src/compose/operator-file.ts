import { type OperatorFile, operatorFileSchema } from '../domain/contracts/operator.ts'
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
