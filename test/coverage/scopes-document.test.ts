import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { scopes } from '../../src/domain/auth/scopes.ts'
import { routes } from '../../src/http/routes/table.ts'

test('the table of scopes in docs/authentication.md matches the table of routes', async () => {
  const text = await readFile(new URL('../../docs/authentication.md', import.meta.url), 'utf8')
  const documented = text.split('\n').filter((line) => /^\| `\w+:\w+` \| `(GET|POST|PATCH|DELETE) \//.test(line))
  const expected = scopes.flatMap((scope) =>
    routes
      .filter((each) => each.scope === scope || each.scopeForMore === scope)
      .map(({ method, path }) => `| \`${scope}\` | \`${method} ${path}\` |`),
  )
  assert.deepEqual(documented, expected)
})
