import { EmbeddedPostgresError, useOwnServer } from './embedded-postgres-error.ts'
import { runProgram } from './run-program.ts'

/** The operating system user for PostgreSQL when Housebill runs as root, because PostgreSQL refuses to run as root. */
export interface ServerUser {
  name: string
  uid: number
  gid: number
}

const unprivilegedNames = ['postgres', '_postgres', 'nobody'] as const

/** Whether this process is root, so that PostgreSQL needs another user. */
export function runsAsRoot(): boolean {
  return process.geteuid?.() === 0
}

/** The first of the usual unprivileged users that exists on this system. Never creates one. */
export async function findUnprivilegedUser(): Promise<ServerUser> {
  for (const name of unprivilegedNames) {
    const uid = await askForId('-u', name)
    const gid = await askForId('-g', name)
    if (uid !== undefined && gid !== undefined) return { name, uid, gid }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and none of the users ${unprivilegedNames.join(', ')} exists. Start Housebill as an ordinary user, or ${useOwnServer}.`,
  )
}

async function askForId(flag: '-u' | '-g', name: string): Promise<number | undefined> {
  const { status, output } = await runProgram('id', [flag, name])
  const id = Number(output.trim())
  return status === 0 && Number.isInteger(id) && id > 0 ? id : undefined
}

/**
 * Whether `user` may enter a folder. Tests this with a process run as that user, because mode bits alone do not cover
 * access control lists, security modules and unusual file systems. Throws if this process runs as root but may not
 * switch users.
 */
export async function canEnter(user: ServerUser, folder: string): Promise<boolean> {
  const { status, rejection } = await runProgram('/bin/sh', ['-c', 'test -d "$1" && test -x "$1"', 'sh', folder], user)
  if (rejection === 'EPERM') {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and this process may not switch to the user ${user.name} (perhaps the container lacks CAP_SETUID and CAP_SETGID). Start Housebill as an ordinary user, or ${useOwnServer}.`,
    )
  }
  return status === 0
}
