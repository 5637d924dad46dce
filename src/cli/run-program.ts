import { Command, CommanderError } from 'commander'
import { CommandError, type CommandProblem } from '../platform/kernel/command-error.ts'
import { asInvocation, type Host, type Invocation, invocation, processHost } from './invocation.ts'
import { coloured, print, printError, printJson } from './print.ts'

const failed = 1
const wrongUsage = 2

/** Why a command failed. */
export interface Failure {
  /** A stable code for programs. */
  code: string
  /** Tells the operator what happened and what to do. */
  message: string
  /** A longer form of `message`, if there is one. */
  text?: string
  problems: readonly CommandProblem[]
  /** Additional fields for the JSON output. */
  details: object
  /** Results that the command produced despite the failure. */
  result: object
  /** Present only for unexpected errors. */
  stack?: string
}

/** Describes an error that a command foresees; undefined for any other. */
export function describeCommandError(error: unknown): Failure | undefined {
  if (!(error instanceof CommandError)) return undefined
  const { code, message, text, problems, details, result } = error
  return { code, message, text, problems, details, result }
}

/** A program without commands, which prints to where its invocation does and throws instead of ending the process. */
export function newProgram(name: string): Command {
  return (
    new Command(name)
      .showHelpAfterError('(add --help for usage)')
      .showSuggestionAfterError()
      // Subcommands inherit this, and the colours.
      .exitOverride()
      .configureHelp({ styleTitle: (title) => coloured('heading', title) })
      .configureOutput({
        writeOut: (text) => invocation().stdout.write(text),
        writeErr: (text) => invocation().stderr.write(text),
        outputError: (text, write) => write(coloured('bad', text, invocation().stderr)),
      })
  )
}

/**
 * Prints the failure on standard error and, with `asJson`, as an object on standard output. Returns the exit code.
 */
async function reportFailure(error: unknown, asJson: boolean, describe: Describe): Promise<number> {
  if (error instanceof CommanderError) return reportUsage(error, asJson)
  const { code, message, text = message, problems, details, result, stack } = await describe(error)
  const lines = problems.map(({ pointer, detail }) => `  - ${pointer === undefined ? '' : `${pointer}: `}${detail}`)
  const heading = lines.length > 0 && !text.endsWith('.') ? `${text}:` : text
  printError(
    [coloured('bad', heading, invocation().stderr), ...lines, ...(stack === undefined ? [] : [stack])].join('\n'),
  )
  if (!asJson) return failed
  const listed = problems.length > 0 ? { problems } : {}
  printJson({ ...result, error: { code, message, ...listed, ...details } })
  return failed
}

/**
 * Reports wrong usage: with `asJson`, prints the error as an object. The library commander has already printed the
 * error and a hint for people, or the requested help. Returns the exit code.
 */
function reportUsage(error: CommanderError, asJson: boolean): number {
  if (error.exitCode === 0) return 0
  if (!asJson) return wrongUsage
  const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '')
  print(JSON.stringify({ error: { code: 'wrong_usage', message } }))
  return wrongUsage
}

type Describe = (error: unknown) => Failure | Promise<Failure>

/**
 * Runs a program's command line. Returns the exit code and never throws: 0 success, 1 failure, 2 wrong usage. With
 * `--json`, a failure is also printed to standard output as one JSON object with an `error`.
 */
export async function runProgram(
  { create, describe }: { create: () => Command; describe: Describe },
  args: readonly string[],
  host: Host = processHost,
): Promise<number> {
  const call: Invocation = { ...host, asJson: args.includes('--json'), exitCode: 0 }
  return asInvocation(call, async () => {
    try {
      await create().parseAsync([...args], { from: 'user' })
      return call.exitCode
    } catch (error) {
      return reportFailure(error, call.asJson, describe)
    }
  })
}
