import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import type { TSchema } from 'typebox'
import { isIsoDate } from '../domain/kernel/dates.ts'

/** A file that cannot be used, with everything wrong with it in words for the operator. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError'
  readonly problems: readonly string[]

  constructor(file: string, problems: readonly string[]) {
    super(`${file} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false })
ajv.addFormat('date', { type: 'string', validate: isIsoDate })

/** The JSON of a file, checked against its schema. Throws UnusableFileError naming every problem by its JSON pointer. */
export async function readCheckedJson(file: string | URL, schema: TSchema): Promise<unknown> {
  const name = file instanceof URL ? file.pathname : file
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UnusableFileError(name, [
      error.code === 'ENOENT' ? 'the file does not exist' : `it cannot be read (${error.code ?? error.message})`,
    ])
  })
  const value = parseJson(name, text)
  const validate = ajv.compile(schema)
  if (validate(value)) return value
  throw new UnusableFileError(
    name,
    (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const named = (params as { additionalProperty?: string }).additionalProperty
      return `${instancePath || '/'}: ${message ?? 'is refused'}${named === undefined ? '' : ` ("${named}")`}`
    }),
  )
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UnusableFileError(name, [
      `it is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    ])
  }
}
