import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import { documentFormats } from '../../src/contracts/document-renderer.ts'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'
import { createThreadedRenderer } from '../../src/contracts/renderer/threads/threaded-renderer.ts'
import { contractFacts } from './contract-facts.fixture.ts'

const facts = contractFacts()
const identity = { contractId: 'contract', acceptedAt: facts.acceptedAt }
const real = buildContractDocument(facts)

/** A renderer whose threads do what a document's title says: see `unreliable-thread.fixture.ts`. */
function unreliable(t: TestContext, timeLimitMs = 30_000) {
  const ended: string[] = []
  const renderer = createThreadedRenderer({
    onThreadEnded: ({ message }) => ended.push(message),
    limits: { concurrency: 1, maxWaitingPerCaller: 1, maxWaiting: 2 },
    timeLimitMs,
    program: new URL('./unreliable-thread.fixture.ts', import.meta.url),
  })
  t.after(() => renderer.close())
  const render = async (title: string, { reference = title, caller = 'partner' } = {}) => {
    const { html, pdf } = await renderer.render({ ...real, title, reference }, identity, {
      caller,
      formats: documentFormats,
    })
    assert.deepEqual(html, pdf)
    return html.toString()
  }
  return { render, ended, close: renderer.close }
}

test('a document rendered in a thread has exactly the bytes of one rendered without, whichever thread renders it', async (t) => {
  const renderer = createThreadedRenderer({ onThreadEnded: assert.fail })
  t.after(() => renderer.close())
  const expected = await createContractRenderer().render(real, identity, documentFormats)
  const caller = 'partner'
  const rendered = await Promise.all([
    renderer.render(real, identity, { caller, formats: documentFormats }),
    renderer.render(real, identity, { caller, formats: documentFormats }),
    renderer.render(real, identity, { caller, formats: ['html'] }),
    renderer.render(real, identity, { caller, formats: ['pdf'] }),
  ])
  assert.deepEqual(
    rendered.map((files) => Object.keys(files)),
    [['html', 'pdf'], ['html', 'pdf'], ['html'], ['pdf']],
  )
  for (const files of rendered) assert.deepEqual({ ...expected, ...files }, expected)
})

test('a document is rendered when the thread ends once during it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'rendering-'))
  t.after(() => rm(folder, { recursive: true }))
  const { render, ended } = unreliable(t)
  const reference = join(folder, 'crashed')
  assert.equal(await render('crash once', { reference }), reference)
  assert.deepEqual(ended, ['a rendering thread ended'])
})

test('a document whose thread ends twice is an error, and the next document is rendered', async (t) => {
  const { render, ended } = unreliable(t)
  await assert.rejects(render('crash'), { name: 'RenderingThreadEnded' })
  assert.equal(ended.length, 1)
  assert.equal(await render('fine'), 'fine')
})

test('a thread that takes too long is stopped and the document can be retried; the next document is rendered in another', async (t) => {
  const { render, ended } = unreliable(t, 1_000)
  await assert.rejects(render('hang'), { code: 'service_unavailable', retryAfterSeconds: 5 })
  assert.deepEqual(ended, ['rendering took longer than 1000 ms'])
  assert.equal(await render('fine'), 'fine')
})

test('an error of the renderer is thrown at once, and its thread is used again', async (t) => {
  const { render, ended } = unreliable(t)
  await assert.rejects(render('throw'), { name: 'TypeError', message: 'no such font' })
  assert.equal(await render('fine'), 'fine')
  assert.deepEqual(ended, [])
})

test('a thread that ends between two documents is replaced', async (t) => {
  const { render } = unreliable(t)
  assert.equal(await render('end afterwards'), 'end afterwards')
  assert.equal(await render('fine'), 'fine')
})

test('documents that would wait too long are rejected with service_unavailable, and another caller still gets a turn', async (t) => {
  const { render } = unreliable(t)
  const kept = [render('first'), render('second')]
  await assert.rejects(render('third'), {
    code: 'service_unavailable',
    message: 'Too many documents are being created. Retry shortly, with fewer requests at a time.',
    retryAfterSeconds: 2,
  })
  kept.push(render('of another', { caller: 'other partner' }))
  assert.deepEqual(await Promise.all(kept), ['first', 'second', 'of another'])
})

test('closing the renderer ends its threads, and a document that was being rendered is not tried again', async (t) => {
  const { render, ended, close } = unreliable(t)
  const rendering = assert.rejects(render('hang'), { name: 'RenderingThreadEnded' })
  await new Promise((resolve) => setImmediate(resolve))
  await close()
  await rendering
  assert.deepEqual(ended, [])
})
