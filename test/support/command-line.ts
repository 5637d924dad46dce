import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/run.ts'
import type { Environment } from '../../src/platform/config/env.ts'

/** What a command printed, and its exit code. */
export interface CommandOutput {
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Runs `housebill …` in this process, with output of its own and only the given environment. Starting a process costs
 * thirty times as much, so tests do that only for what belongs to the process: signals, pipes, terminals, the working
 * folder and what it leaves running. With `typed`, there is a terminal at which somebody types that.
 */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  typed?: string,
): Promise<CommandOutput> {
  const [stdout, stderr] = [collect(), collect()]
  const stdin =
    typed === undefined ? {} : { stdin: Object.assign(Readable.from([Buffer.from(typed)]), { isTTY: true }) }
  const code = await runCommandLine(args, { stdout: stdout.stream, stderr: stderr.stream, ...stdin, environment })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collect(): { stream: Writable; text(): string } {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(parts).toString() }
}
