import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { TSchema } from 'typebox'
import { type JsonProblem, jsonProblems } from '../platform/http/pipeline/json-problems.ts'

/** One problem in a file. */
export type FileProblem = JsonProblem

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

/**
 * Reads a JSON file and checks it against its schema. Throws UnusableFileError naming every problem by its JSON
 * pointer.
 */
export async function readCheckedJson(file: string | URL, schema: TSchema): Promise<unknown> {
  const name = displayPath(file)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const detail =
      error.code === 'ENOENT' ? 'the file does not exist' : `it cannot be read (${error.code ?? 'unknown'})`
    throw new UnusableFileError(name, [{ detail }])
  })
  const value = parseJson(name, text)
  const problems = jsonProblems(value, schema)
  if (problems.length === 0) return value
  throw new UnusableFileError(name, problems)
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
