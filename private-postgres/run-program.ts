import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** What became of a program that was run to its end. */
export interface ProgramEnd {
  /** Its exit status; undefined where it was killed or could not be started. */
  status: number | undefined
  /** The system's reason where it could not be started, such as `EACCES` or `ENOENT`. */
  refusal: string | undefined
  /** What it wrote, both streams together. */
  output: string
}

/**
 * The whole environment of PostgreSQL's programs. Housebill's own holds secrets that a server living on after it must
 * not carry. `LC_ALL` keeps messages in English, which the remedies are found by; `TZ` spares initdb a search.
 */
export const programEnvironment = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
} as const

/** Runs a program to its end, as another user if one is given. Never throws for what became of it. */
export async function runProgram(
  file: string,
  args: readonly string[],
  user?: { uid: number; gid: number },
): Promise<ProgramEnd> {
  let output = ''
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-20_000)
  }
  try {
    const child = spawn(file, args, {
      // The working folder may be closed to that user, and PostgreSQL insists on knowing where it stands.
      cwd: '/',
      env: programEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...identity(user),
    })
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    const [status] = (await once(child, 'close')) as [number | null]
    return { status: status ?? undefined, refusal: undefined, output }
  } catch (error) {
    // Node tells some refusals by an event (ENOENT, EACCES) and throws others (EPERM).
    const { code, message } = error as NodeJS.ErrnoException
    return { status: undefined, refusal: code ?? 'UNKNOWN', output: `${output}${message}` }
  }
}

/** The spawn options that make a child run as `user`; none where it runs as this process does. */
export function identity(user: { uid: number; gid: number } | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid }
}
