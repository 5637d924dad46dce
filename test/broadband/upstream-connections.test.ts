import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { freePort, startTestService } from '../support/service.ts'
import {
  checkUntilWell,
  type Half,
  halves,
  otherHalf,
  quickLimits,
  runCheck,
  startBreakableUpstreams,
  toldBy,
  unusedHome,
  well,
} from './breakable-upstreams.ts'

const variable: Record<Half, string> = {
  homeTelecom: 'HOME_TELECOM_URL',
  broadbandDatabase: 'BROADBAND_DATABASE_URL',
}

/** A service whose `half` is at `url` while the other half is well; checks what a partner is told, and hands both on. */
async function withHalfAt(
  half: Half,
  url: string,
  goOn: (untilWell: () => ReturnType<typeof runCheck>) => Promise<void> = async () => undefined,
): Promise<void> {
  const other = otherHalf(half)
  const upstreams = await startBreakableUpstreams()
  const service = await startTestService(
    { [variable[half]]: url, [variable[other]]: upstreams[other].baseUrl },
    { upstreamLimits: quickLimits },
  )
  try {
    const partner = await connectPartner(service.baseUrl, service.credentials)
    const addressUid = unusedHome()
    const startedAt = performance.now()
    const result = await runCheck(partner, addressUid)
    assert.ok(performance.now() - startedAt < 5_000)
    assert.deepEqual([result[`${half}Error`], result[`${other}Error`], result.available], [true, false, true])
    assert.match(result[`${half}Errors`].join(), /could not be reached/)
    assert.deepEqual([toldBy(half, result), toldBy(other, result)], [false, true])
    await goOn(() => checkUntilWell(partner, addressUid))
  } finally {
    await service.stop()
    await Promise.all(halves.map((each) => upstreams[each].close()))
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

for (const half of halves) {
  test(`${half} refuses the connection: told as unreachable; when it listens again, all is well`, async () => {
    const port = await freePort()
    const server = createHttpServer(well[half])
    try {
      await withHalfAt(half, `http://127.0.0.1:${port}`, async (untilWell) => {
        await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
        assert.ok(toldBy(half, await untilWell()))
      })
    } finally {
      await close(server)
    }
  })

  test(`${half} has a name that does not resolve: told as unreachable`, async () => {
    // Longer than a part of a name may be, so that no name server is ever asked.
    await withHalfAt(half, `http://${'x'.repeat(64)}.invalid`)
  })

  test(`${half} shows a certificate nobody vouches for: told as unreachable, and it is told nothing`, async () => {
    const pem = (name: string) => readFileSync(new URL(`../support/test-only-receiver-${name}.pem`, import.meta.url))
    let asked = 0
    const server = createHttpsServer({ cert: pem('certificate'), key: pem('key') }, (request, response) => {
      asked += 1
      well[half](request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await withHalfAt(half, `https://127.0.0.1:${(server.address() as AddressInfo).port}`)
      assert.equal(asked, 0)
    } finally {
      await close(server)
    }
  })
}
