import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { readSource, typeScriptFiles } from './tree.ts'

/** Runs this code as a module in a process that stays on loopback. */
async function run(code: string): Promise<{ exitCode: number | null; said: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, ...loopbackOnlyEnvironment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { exitCode, said: out + err }
}

const forbidden: Record<string, string> = {
  'a request to an address': `await fetch('http://192.0.2.1/').catch(() => undefined)`,
  'a request to a name': `await fetch('https://public.invalid/').catch(() => undefined)`,
  'a connection with a custom lookup': `import net from 'node:net'
    const lookup = (name, options, done) => done(null, [{ address: '192.0.2.1', family: 4 }])
    net.connect({ host: 'public.invalid', port: 9, lookup }).on('error', () => undefined)`,
  "a query to the machine's name servers": `import { resolve4 } from 'node:dns/promises'
    await resolve4('public.invalid').catch(() => undefined)`,
  'a query to another name server': `import { Resolver } from 'node:dns/promises'
    const resolver = new Resolver()
    resolver.setServers(['192.0.2.53'])
    try { await resolver.resolve4('public.invalid') } catch (swallowed) { console.log('swallowed', swallowed.code) }`,
}

for (const [what, code] of Object.entries(forbidden)) {
  test(`${what} fails the process even if a test ignores the error`, async () => {
    const { exitCode, said } = await run(code)
    assert.equal(exitCode, 1, said)
    assert.match(said, /Tried to leave loopback: (connection to|DNS lookup of|DNS query for) /)
  })
}

test('loopback, by number and by name, is still reachable', async () => {
  const { exitCode, said } = await run(`import { createServer } from 'node:http'
    const server = createServer((request, response) => response.end('heard'))
    server.listen(0, '127.0.0.1', async () => {
      const { port } = server.address()
      for (const host of ['127.0.0.1', 'localhost']) console.log(await (await fetch('http://' + host + ':' + port)).text())
      server.close().closeAllConnections()
    })`)
  assert.deepEqual({ exitCode, said }, { exitCode: 0, said: 'heard\nheard\n' })
})

// That benchmarks, drills, and tests that serve or send, import the guard is checked by `npm run imports`.
test('the whole test run stays on loopback', () => {
  assert.match(readSource('scripts/testing/run-files.ts').text, /NODE_OPTIONS: `--import=/)
})

test("no test, benchmark or drill queries the machine's name servers", () => {
  const outsideProgram = typeScriptFiles.filter(({ path }) => /^(test|bench|drills)\//.test(path))
  // Without a list of servers, the resolver would query the name servers of this machine. Only one file may omit the
  // list: it tests that a query inside a transaction is rejected.
  const resolving = outsideProgram.filter(({ text }) => /createSystemResolver\((?!\{ servers)/.test(text))
  assert.deepEqual(
    resolving.map(({ path }) => path),
    ['test/platform/db/database.test.ts'],
  )
})
