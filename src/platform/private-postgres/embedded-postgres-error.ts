/**
 * Thrown if the private PostgreSQL cannot be set up or started. The message tells the operator what happened, where,
 * and what to do. It contains no secrets and no row data.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}

/** A remedy that works for every problem. */
export const useOwnServer = 'set DATABASE_URL to a PostgreSQL server of your own'

/** Turns the error output of `initdb` or `postgres` into an error with a remedy. Quotes the end of `output`. */
export function programFailure(what: string, output: string): EmbeddedPostgresError {
  const said = output.trim().split('\n').slice(-8).join('\n')
  return new EmbeddedPostgresError(
    `${what}. ${remedyFor(output)} PostgreSQL said:\n${said === '' ? '(nothing)' : said}`,
  )
}

const remedies: readonly (readonly [RegExp, string])[] = [
  // These also say "No space left on device", so they come before the disk's.
  [
    /shared memory segment "\/PostgreSQL.*No space left on device|\/dev\/shm\b.*No space left on device/,
    `Shared memory (/dev/shm) is full; the disk is not. Free some space in /dev/shm, give the container more (docker run --shm-size=256m), or ${useOwnServer}.`,
  ],
  [
    /could not create shared memory segment|could not map anonymous shared memory|Cannot allocate memory/,
    `The machine does not have enough free memory or shared memory. Free some, or ${useOwnServer}.`,
  ],
  [
    /No space left on device|Disk quota exceeded/,
    'The disk is full. Free some space in DATA_DIR (a new database needs about 100 MB), then start again.',
  ],
  [/Read-only file system/, 'DATA_DIR is on a read-only file system. Set DATA_DIR to a folder that can be written to.'],
  [
    /look up effective user ID/,
    `PostgreSQL needs an entry for this user in /etc/passwd, and there is none. Add one, run as another user, or ${useOwnServer}.`,
  ],
  [
    /too many clients|remaining connection slots/,
    'All its connections are in use. Stop the programs that use them, or raise max_connections in its postgresql.conf.',
  ],
  [
    /error while loading shared libraries|GLIBC|GLIBCXX/,
    `A system library that PostgreSQL needs is missing or too old. Install it (on Debian: libc6, libstdc++6), or ${useOwnServer}.`,
  ],
  [
    /database files are incompatible with server/,
    `The data folder belongs to another PostgreSQL version. Use the version of Housebill that created it, or ${useOwnServer}.`,
  ],
  [
    /wrong ownership|Permission denied|Operation not permitted/,
    `The user that PostgreSQL runs as has no access to a file. Give all of DATA_DIR to one owner (chown -R), or ${useOwnServer}.`,
  ],
]

function remedyFor(output: string): string {
  const known = remedies.find(([pattern]) => pattern.test(output))
  return known?.[1] ?? `See its output below. If you cannot fix the problem, ${useOwnServer}.`
}

/** Turns a file system error under DATA_DIR into an error with a remedy; returns other errors unchanged. */
export function explainFolderError(folder: string, error: unknown): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new EmbeddedPostgresError(
      `${folder} cannot be written to (${code}). Set DATA_DIR to a folder this user owns, or ${useOwnServer}.`,
      { cause: error },
    )
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EmbeddedPostgresError(`The disk that contains ${folder} is full. Free some space, then start again.`, {
      cause: error,
    })
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new EmbeddedPostgresError(
      `${folder} cannot be created, because a file has the same name. Set DATA_DIR to a folder.`,
      {
        cause: error,
      },
    )
  }
  return error
}
