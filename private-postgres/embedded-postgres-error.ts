/**
 * The private PostgreSQL could not be set up or started. The message tells the operator what happened, where, and
 * what to do about it. It holds no secret and no row data.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}

/** The remedy that always works. */
export const useOwnServer = 'set DATABASE_URL to a PostgreSQL server of your own'

/** Turns what `initdb` or `postgres` said when it failed into an error with a remedy. `output` is quoted at its end. */
export function programFailure(what: string, output: string): EmbeddedPostgresError {
  const said = output.trim().split('\n').slice(-8).join('\n')
  return new EmbeddedPostgresError(
    `${what}. ${remedyFor(output)} PostgreSQL said:\n${said === '' ? '(nothing)' : said}`,
  )
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /No space left on device|Disk quota exceeded/,
    'The disk is full: free some space under DATA_DIR (a new database needs about 100 MB) and start again.',
  ],
  [/Read-only file system/, 'DATA_DIR is on a read-only file system: set DATA_DIR to a folder that can be written.'],
  [
    /look up effective user ID/,
    `This user has no entry in /etc/passwd, which PostgreSQL needs: add one, run as another user, or ${useOwnServer}.`,
  ],
  [
    /too many clients|remaining connection slots/,
    'All its connections are taken: stop what uses them, or raise max_connections in its postgresql.conf.',
  ],
  [
    /could not create shared memory segment|could not map anonymous shared memory|Cannot allocate memory/,
    `The machine has too little memory (or too little shared memory) left: free some, or ${useOwnServer}.`,
  ],
  [
    /error while loading shared libraries|GLIBC|GLIBCXX/,
    `A system library that PostgreSQL needs is missing or too old: install it (on Debian: libc6, libstdc++6), or ${useOwnServer}.`,
  ],
  [
    /database files are incompatible with server/,
    `The data folder belongs to another PostgreSQL version: use the Housebill that made it, or ${useOwnServer}.`,
  ],
  [
    /wrong ownership|Permission denied|Operation not permitted/,
    `A file is closed to the user PostgreSQL runs as: give DATA_DIR back to one owner (chown -R), or ${useOwnServer}.`,
  ],
]

function remedyFor(output: string): string {
  const known = remedies.find(([pattern]) => pattern.test(output))
  return known?.[1] ?? `Read its message below; if it cannot be fixed, ${useOwnServer}.`
}

/** Turns a file system refusal under DATA_DIR into an error with a remedy; anything else is handed back as it is. */
export function folderFailure(folder: string, error: unknown): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new EmbeddedPostgresError(
      `${folder} cannot be written (${code}): set DATA_DIR to a folder this user owns, or ${useOwnServer}.`,
      { cause: error },
    )
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EmbeddedPostgresError(`The disk that holds ${folder} is full: free some space and start again.`, {
      cause: error,
    })
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new EmbeddedPostgresError(
      `${folder} cannot be created, because a file has this name: set DATA_DIR to a folder.`,
      {
        cause: error,
      },
    )
  }
  return error
}
