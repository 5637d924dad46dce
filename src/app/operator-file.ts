import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { TSchema } from 'typebox'
import { type OperatorFile, operatorFileSchema } from '../contracts/operator-file.ts'
import { contrast } from '../pages/contrast.ts'
import { type JsonProblem, jsonProblems } from '../platform/http/pipeline/json-problems.ts'

/** One problem in a file. */
type FileProblem = JsonProblem

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

const schema = operatorFileSchema()

/** Reads and checks the operator's file. Throws UnusableFileError naming every problem. */
export async function readOperatorFile(file: string | URL): Promise<OperatorFile> {
  const operator = (await readCheckedJson(file, schema)) as OperatorFile
  const problems = [...contradictions(operator), ...illegibleColours(operator)]
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

/** The backgrounds of tenants' pages, on which each of the operator's colours must be legible. */
const backgrounds = {
  colour: { name: 'white', rgb: '#ffffff', remedy: 'choose a darker colour' },
  colourInDark: { name: 'the dark background', rgb: '#12181f', remedy: 'choose a lighter colour' },
} as const

/** WCAG 2.2, 1.4.3. */
const leastContrast = 4.5

function illegibleColours({ look }: OperatorFile): FileProblem[] {
  if (look === undefined) return []
  return (['colour', 'colourInDark'] as const).flatMap((field) => {
    const { name, rgb, remedy } = backgrounds[field]
    const ratio = contrast(look[field], rgb)
    if (ratio >= leastContrast) return []
    // Rounded down, because 4.499 is not enough.
    const found = (Math.floor(ratio * 100) / 100).toFixed(2)
    const detail = `its contrast with ${name} (${rgb}) is ${found} to 1, and text needs at least ${leastContrast} to 1 (WCAG 2.2, 1.4.3): ${remedy}`
    return [{ pointer: `/look/${field}`, detail }]
  })
}

/**
 * What gives away that a text of the sample is about the invented business, or its logo, and so cannot be another's.
 */
const invented = /sample|example|ZZ1|01632 960|0000 ?0000|000 0000|^data:/i

/**
 * Lists what keeps live from starting with an operator's file: the texts of the sample's invented business, which live
 * must not show to tenants, and no privacy notice.
 */
export function liveProblems(operator: OperatorFile, sample: OperatorFile): string[] {
  if (operator.sample === true)
    return ['OPERATOR_FILE is the sample file: HOUSEBILL_ENV=live needs your own operator file']
  const noNotice =
    operator.privacyNotice === undefined
      ? ['OPERATOR_FILE has no privacyNotice: give the https address of your privacy notice, or its text']
      : []
  const ofSample = new Set(leavesOf(sample).flatMap(({ text }) => (invented.test(text) ? [text] : [])))
  const words = leavesOf(operator)
    .filter(({ text }) => ofSample.has(text) || text.includes(sample.trader.name))
    .map(({ pointer }) => `OPERATOR_FILE has the sample's words in ${pointer}: replace them with your own`)
  return [...noNotice, ...words]
}

function leavesOf(value: unknown, pointer = ''): { pointer: string; text: string }[] {
  if (typeof value === 'string') return [{ pointer, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, `${pointer}/${name}`))
}
