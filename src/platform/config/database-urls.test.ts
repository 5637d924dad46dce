import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { databaseUrlProblems, urlPerHost } from './database-urls.ts'

const problemsOf = (text: string) => databaseUrlProblems('DATABASE_OWNER_URL', text).join()

test('ordinary URLs of a host or socket, and of several with the primary among them, are accepted', () => {
  for (const url of [
    'postgres://u:p@db.example:5432/bills?sslmode=verify-full',
    'postgresql://u@/bills?host=/run/postgresql',
    'postgresql:///bills?host=/run/postgresql',
    'postgres://u:a,b@127.0.0.1/bills',
    'postgres://db:5432/bills?user=a@b',
    'postgres://u:p@one:5432,two:5433/bills?target_session_attrs=read-write&sslmode=verify-full',
    'postgresql://u@/bills?host=/run/one,/run/two&target_session_attrs=read-write',
    'postgres://u:p@one/bills?target_session_attrs=read-write',
  ])
    assert.equal(problemsOf(url), '', url)
})

test('hosts without the primary, a password that is not encoded and unusable files are named with the remedy', () => {
  const here = fileURLToPath(import.meta.url)
  for (const [url, problem] of [
    ['postgres://u:p@one,two/bills', /^DATABASE_OWNER_URL names several hosts: add target_session_attrs=read-write/],
    ['postgres://u@/bills?host=/one,/two', /^DATABASE_OWNER_URL names several hosts: add target_session_attrs/],
    ['postgres://u:p@one/bills?target_session_attrs=any', /^DATABASE_OWNER_URL: target_session_attrs must be read-w/],
    [
      'postgres://u@one,two/bills?target_session_attrs=read-write&port=1,2',
      /^DATABASE_OWNER_URL has several ports in \?port=: write each after its host/,
    ],
    ['postgres://u:p[x@db:54x/bills', /^DATABASE_OWNER_URL is not a URL: .*%40/],
    ['postgres://u:12#3@db/bills', /^DATABASE_OWNER_URL is not a URL: .*%40/],
    ['postgres://u:12/3@db/bills', /^DATABASE_OWNER_URL is not a URL: .*%40/],
    ['postgres://u:100%sure@db/bills', /^DATABASE_OWNER_URL is not a URL: .*%25/],
    ['postgres://u:p@db,db:54x/bills', /^DATABASE_OWNER_URL is not a URL: .*%40/],
    ['postgres://u@db/bills?sslrootcert=/none.pem', /^DATABASE_OWNER_URL: sslrootcert .*\(ENOENT\): \/none\.pem$/],
    [`postgres://u@db/bills?sslrootcert=${here}`, /^DATABASE_OWNER_URL: sslrootcert .* not a certificate/],
  ] as const)
    assert.match(problemsOf(url), problem)
})

test('a URL of several hosts is one URL for each, with everything else unchanged', () => {
  assert.deepEqual(urlPerHost('postgres://u:a,b@one:1,[::1]:2/bills?x=1,2'), [
    'postgres://u:a,b@one:1/bills?x=1,2',
    'postgres://u:a,b@[::1]:2/bills?x=1,2',
  ])
  assert.deepEqual(urlPerHost('postgres://u@h/bills?host=/run/a%2Cb,/run/c&x=1'), [
    'postgres://u@h/bills?host=/run/a%2Cb&x=1',
    'postgres://u@h/bills?host=/run/c&x=1',
  ])
  assert.deepEqual(urlPerHost('postgresql:///bills'), ['postgresql:///bills'])
})
