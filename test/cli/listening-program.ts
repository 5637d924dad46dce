import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { waitFor } from '../support/wait-for.ts'
import { bin, checkout } from './cli-fixture.ts'

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** A partner's program on this machine: keeps what it receives, and responds to each message as `respond` says. */
export async function startLocalProgram(t: TestContext, respond: (response: ServerResponse, count: number) => void) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.push({ headers: request.headers, body })
    respond(response, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/webhooks`, received }
}

/** Runs `housebill listen` until the test interrupts it. */
export function startListening(t: TestContext, environment: NodeJS.Dict<string>, args: readonly string[]) {
  const child = spawn(process.execPath, [bin, 'listen', ...args], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...loopbackOnlyEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaints += chunk
  })
  const closed = once(child, 'close')
  return {
    lines,
    /** Waits until a line matches, and returns the first one that does. */
    async printed(pattern: RegExp): Promise<string> {
      const find = () => lines.find((line) => pattern.test(line))
      return (await waitFor(`a line that matches ${pattern}`, find, (line) => line !== undefined)) ?? ''
    },
    /** Waits until standard error matches. */
    async complained(pattern: RegExp): Promise<void> {
      await waitFor(`a complaint that matches ${pattern}`, () => pattern.test(complaints))
    },
    /** Presses Ctrl-C, and asserts that the command then ends without an error, with only these complaints. */
    async interrupt(expected = /^$/): Promise<void> {
      child.kill('SIGINT')
      assert.deepEqual(await closed, [0, null])
      assert.match(complaints, expected)
    },
  }
}
