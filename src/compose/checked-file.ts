import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Ajv, type ErrorObject } from 'ajv'
import type { TSchema } from 'typebox'
import { isIsoDate } from '../kernel/dates.ts'

/** One problem in a file. `pointer` is a JSON pointer into it; absent if the problem concerns the whole file. */
export interface FileProblem {
  pointer?: string
  detail: string
}

/** Thrown if a file cannot be used. The message lists every problem for the operator. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError'
  readonly summary: string
  readonly problems: readonly FileProblem[]

  constructor(file: string, problems: readonly FileProblem[]) {
    super()
    this.summary = `${file} cannot be used`
    this.problems = problems
    const lines = problems.map(({ pointer, detail }) => `  - ${pointer === undefined ? '' : `${pointer}: `}${detail}`)
    this.message = [`${this.summary}:`, ...lines].join('\n')
  }
}

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false })
ajv.addFormat('date', { type: 'string', validate: isIsoDate })

/** Reads a JSON file and checks it against its schema. Throws UnusableFileError naming every problem by its JSON pointer. */
export async function readCheckedJson(file: string | URL, schema: TSchema): Promise<unknown> {
  const name = displayPath(file)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const detail =
      error.code === 'ENOENT' ? 'the file does not exist' : `it cannot be read (${error.code ?? 'unknown'})`
    throw new UnusableFileError(name, [{ detail }])
  })
  const value = parseJson(name, text)
  const validate = ajv.compile(schema)
  if (validate(value)) return value
  throw new UnusableFileError(name, (validate.errors ?? []).map(problemOf))
}

/** The path of a file, as shown to the operator. */
export function displayPath(file: string | URL): string {
  return file instanceof URL ? fileURLToPath(file) : file
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable'
    throw new UnusableFileError(name, [{ detail: `it is not valid JSON: ${reason}` }])
  }
}

/** Describes a schema error. For a missing or unknown field, the pointer says where the field is or should be. */
function problemOf({ keyword, instancePath, params, message }: ErrorObject): FileProblem {
  const at = (pointer: string, detail: string) => (pointer === '' ? { detail } : { pointer, detail })
  if (keyword === 'required') return at(pointerTo(instancePath, params.missingProperty), 'is missing')
  if (keyword === 'additionalProperties') {
    return at(pointerTo(instancePath, params.additionalProperty), 'is not a field of this file')
  }
  if (keyword === 'enum') return at(instancePath, `must be one of ${params.allowedValues.join(', ')}`)
  return at(instancePath, message ?? 'is invalid')
}

function pointerTo(parent: string, name: string): string {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
