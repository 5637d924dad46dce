import { CommanderError } from 'commander'
import { describeFailure } from './describe-failure.ts'

const failed = 1
const wrongUsage = 2

/** Says on standard error what went wrong, with `asJson` also as an object on standard output, and sets the exit code. */
export function reportFailure(error: unknown, asJson: boolean): void {
  if (error instanceof CommanderError) {
    reportUsage(error, asJson)
    return
  }
  process.exitCode = failed
  const { code, message, problems, result, stack } = describeFailure(error)
  const lines = problems.map(({ pointer, detail }) => `  - ${pointer === undefined ? '' : `${pointer}: `}${detail}`)
  console.error([message, ...lines, ...(stack === undefined ? [] : [stack])].join('\n'))
  if (!asJson) return
  console.log(JSON.stringify({ ...result, error: { code, message, ...(problems.length > 0 ? { problems } : {}) } }))
}

/** commander has written its words and a hint, or the help that was asked for, already. */
function reportUsage(error: CommanderError, asJson: boolean): void {
  if (error.exitCode === 0) return
  process.exitCode = wrongUsage
  if (!asJson) return
  const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '')
  console.log(JSON.stringify({ error: { code: 'wrong_usage', message } }))
}
