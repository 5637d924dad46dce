import { type OperatorFile, operatorFileSchema } from '../domain/contracts/operator.ts'
import { readCheckedJson } from './checked-file.ts'

const schema = operatorFileSchema()

/** The operator's file, checked. Throws UnusableFileError naming every problem. */
export async function readOperatorFile(file: string | URL): Promise<OperatorFile> {
  return (await readCheckedJson(file, schema)) as OperatorFile
}
