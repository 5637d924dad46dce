import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { databaseUrlProblems } from './database-urls.ts'

const problemsOf = (text: string) => databaseUrlProblems('DATABASE_OWNER_URL', text).join()

test('ordinary URLs of one host or socket are accepted', () => {
  for (const url of [
    'postgres://u:p@db.example:5432/bills?sslmode=verify-full',
    'postgresql://u@/bills?host=/run/postgresql',
    'postgresql:///bills?host=/run/postgresql',
    'postgres://u:a,b@127.0.0.1/bills',
  ])
    assert.equal(problemsOf(url), '', url)
})

test('several hosts, a password that is not encoded and unusable files are named with the variable and the remedy', () => {
  const here = fileURLToPath(import.meta.url)
  for (const [url, problem] of [
    ['postgres://u:p@one,two/bills', /^DATABASE_OWNER_URL names several hosts: name one/],
    ['postgres://u:p@one:5432,two:5432/bills', /^DATABASE_OWNER_URL names several hosts: name one/],
    ['postgres://u:p[x@db:54x/bills', /^DATABASE_OWNER_URL is not a URL: .*%40/],
    ['postgres://u@db/bills?sslrootcert=/none.pem', /^DATABASE_OWNER_URL: sslrootcert .*\(ENOENT\): \/none\.pem$/],
    [`postgres://u@db/bills?sslrootcert=${here}`, /^DATABASE_OWNER_URL: sslrootcert .* not a certificate/],
  ] as const)
    assert.match(problemsOf(url), problem)
})
