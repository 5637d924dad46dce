import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainFolderError, programFailure } from './embedded-postgres-error.ts'

test("PostgreSQL's error output is quoted with a remedy", () => {
  for (const [said, remedy] of [
    [
      'FATAL:  could not write lock file "postmaster.pid": No space left on device',
      /^Broken\. The disk is full\. Free some space/,
    ],
    [
      'FATAL:  could not resize shared memory segment "/PostgreSQL.2384" to 1048576 bytes: No space left on device',
      /^Broken\. Shared memory \(\/dev\/shm\) is full; the disk is not\..*--shm-size/,
    ],
    [
      'FATAL:  could not create shared memory segment: No space left on device',
      /^Broken\. The machine does not have enough free memory or shared memory/,
    ],
    [
      'initdb: error: could not create directory "x": Read-only file system',
      /Set DATA_DIR to a folder that can be written to/,
    ],
    [
      'initdb: error: could not look up effective user ID 12345: user does not exist',
      /an entry for this user in \/etc\/passwd/,
    ],
    ['postgres: error while loading shared libraries: libstdc++.so.6: cannot open', /Install it .*libstdc\+\+6/],
    ['FATAL:  data directory "x" has wrong ownership', /chown -R/],
    ['an unknown error', /set DATABASE_URL/],
  ] as const) {
    const { message } = programFailure('Broken', `${said}\n`)
    assert.match(message, remedy)
    assert.ok(message.endsWith(said))
  }
})

test('a file system error names the folder and the remedy; other errors are returned unchanged', () => {
  const rejected = (code: string) => explainFolderError('/srv/data', Object.assign(new Error(code), { code }))
  assert.match(
    String(rejected('EACCES')),
    /\/srv\/data cannot be written to \(EACCES\)\. Set DATA_DIR to a folder this user owns/,
  )
  assert.match(String(rejected('ENOSPC')), /The disk that contains \/srv\/data is full\. Free some space/)
  assert.match(String(rejected('ENOTDIR')), /a file has the same name/)
  const other = new TypeError('a bug')
  assert.equal(explainFolderError('/srv/data', other), other)
})
