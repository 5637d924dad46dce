import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The outcome of running a program. */
export interface ProgramResult {
  /** Its exit status; undefined if it was killed or could not be started. */
  status: number | undefined
  /** The system's error code if the program could not be started, such as `EACCES` or `ENOENT`. */
  rejection: string | undefined
  /** The end of the program's output, with standard output and standard error combined. */
  output: string
}

/**
 * The complete environment of PostgreSQL's programs. They do not inherit Housebill's environment, because it contains
 * secrets and the server may outlive Housebill. `LC_ALL` keeps messages in English, because remedies are chosen by
 * matching them. With `TZ`, initdb need not search for the time zone.
 */
export const programEnvironment = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
} as const

/** Runs a program until it ends, as `user` if given. Never throws, whatever the program's outcome. */
export async function runProgram(
  file: string,
  args: readonly string[],
  user?: { uid: number; gid: number },
): Promise<ProgramResult> {
  let output = ''
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-20_000)
  }
  try {
    const child = spawn(file, args, {
      // That user may have no access to the current folder, and PostgreSQL needs a working directory it can read.
      cwd: '/',
      env: programEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...spawnOptionsFor(user),
    })
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    const [status] = (await once(child, 'close')) as [number | null]
    return { status: status ?? undefined, rejection: undefined, output }
  } catch (error) {
    // Node emits some errors as events (ENOENT, EACCES) and throws others (EPERM).
    const { code, message } = error as NodeJS.ErrnoException
    return { status: undefined, rejection: code ?? 'UNKNOWN', output: `${output}${message}` }
  }
}

/**
 * The spawn options that run a child as `user`; empty if there is no `user`, so that it runs as this process's user.
 */
export function spawnOptionsFor(user: { uid: number; gid: number } | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid }
}
