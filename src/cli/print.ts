import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { Option } from 'commander'
import { CommandError } from '../platform/kernel/command-error.ts'
import { escapeControls } from '../platform/kernel/plain-text.ts'
import { invocation } from './invocation.ts'

/** Our own colours. */
const ownColours = new RegExp(`(${String.fromCharCode(27)}\\[(?:1|2|22|31|32|39)m)`)

/**
 * Prints lines to standard output. Control characters of stored text become `\uXXXX`: a partner's name must not move
 * the cursor or reorder what an operator reads. In JSON this is another spelling of the same text. Only line feeds,
 * tabs and our own colours stay.
 */
export function print(text: string): void {
  invocation().stdout.write(`${escaped(text)}\n`)
}

/** Prints lines to standard error, as `print` does. */
export function printError(text: string): void {
  invocation().stderr.write(`${escaped(text)}\n`)
}

function escaped(text: string): string {
  return text
    .split(ownColours)
    .map((part) => (ownColours.test(part) ? part : escapeControls(part, '\n\t')))
    .join('')
}

/** What a colour says, whatever the terminal makes of it. */
const formats = { good: 'green', bad: 'red', quiet: 'dim', heading: 'bold' } as const

type Colour = keyof typeof formats

/** Colours text on a terminal. Leaves it as it is if the stream is no terminal, or if NO_COLOR is set. */
export function coloured(colour: Colour, text: string, stream: NodeJS.WritableStream = invocation().stdout): string {
  return styleText(formats[colour], text, { stream })
}

/** The `--json` option, which is the same for every command. */
export function jsonOption(): Option {
  return new Option('--json', 'print the result as one JSON object')
}

export interface JsonOption {
  json?: true
}

/** Prints a JSON object on one line, for programs. It names the deployment that answered. */
export function printJson(result: object): void {
  const { deployment } = invocation()
  const isPlain = deployment === undefined || Array.isArray(result)
  print(JSON.stringify(isPlain ? result : { ...result, deployment }))
}

/**
 * Asks at a terminal whether to go on, on standard error; only `yes` does. Throws a CommandError for any other answer
 * and, without a terminal or with `--json`, one that names `--yes`.
 */
export async function requireYes(question: string): Promise<void> {
  const { stdin, stderr, asJson } = invocation()
  if (asJson || stdin?.isTTY !== true)
    throw new CommandError('confirmation_needed', `${question} There is no terminal to ask at: add --yes to do it.`)
  const terminal = createInterface({ input: stdin, output: stderr })
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const answer = await Promise.race([terminal.question(`${escaped(question)} Type yes: `), ended])
  terminal.close()
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('not_confirmed', 'Nothing was changed.')
}
