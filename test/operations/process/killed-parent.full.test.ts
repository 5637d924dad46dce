import assert from 'node:assert/strict'
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectPartner } from '../../support/client.ts'
import { findFreePort } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { connectToEach } from './pinned-connection.ts'
import { startServiceProcess } from './service-process.ts'

/* One deployment of two processes with a private database: its parent is killed, then its processes cannot start any more. */

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

test('processes end with a parent that is killed, and a parent ends when no process starts any more', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-parent-'))
  // If the tests run as root, PostgreSQL runs as another user, who must be able to traverse this folder.
  await chmod(dataDir, 0o711)
  const operatorFile = join(dataDir, 'operator.json')
  await copyFile(new URL('../../../reference/operator.sample.json', import.meta.url), operatorFile)
  const port = await findFreePort()
  const start = () =>
    startServiceProcess({
      PROCESSES: '2',
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      OPERATOR_FILE: operatorFile,
    })
  const first = await start()
  const credentials = { clientId: first.clientId, clientSecret: first.clientSecret ?? '' }
  const { token } = await connectPartner(first.baseUrl, credentials)
  const connections = await connectToEach(first, 2, token)
  for (const connection of connections) await connection.close()
  first.signal('SIGKILL')
  assert.equal(await first.ended, 'SIGKILL')
  for (const { pid } of connections) await waitFor(`process ${pid} has ended`, () => isGone(pid))

  const second = await start()
  t.after(async () => {
    second.signal('SIGKILL')
    await second.ended
    await rm(dataDir, { recursive: true, force: true })
  })
  assert.equal(second.clientSecret, undefined, 'the secret is shown once')
  const again = await connectToEach(second, 2, token)
  await writeFile(operatorFile, 'not JSON')
  second.signal('SIGHUP')
  await waitFor('the restart is given up', () =>
    second.log.some(({ msg }) => msg.startsWith('rolling restart aborted')),
  )
  for (const connection of again) {
    assert.equal((await connection.send('GET', '/health/ready')).status, 200)
    await connection.close()
    process.kill(connection.pid, 'SIGKILL')
  }
  assert.equal(await second.ended, 1)
  assert.match(second.lastWords.join('\n'), /None of the processes that serve requests starts any more/)
})
