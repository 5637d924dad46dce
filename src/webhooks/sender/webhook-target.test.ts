import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyAddress } from '../../platform/outbound/address-class.ts'
import { NameResolutionFailed, type NameResolver } from '../../platform/outbound/name-lookup.ts'
import { parseWebhookUrl, resolveTarget } from './webhook-target.ts'

const names: Record<string, readonly string[]> = {
  'public.test': ['93.184.215.14', '2606:4700:4700::1111'],
  'private.test': ['10.0.0.5'],
  'mixed.test': ['10.0.0.5', '93.184.215.14'],
  'loopback.test': ['127.0.0.1', '::1'],
  'split.test': ['127.0.0.1', '93.184.215.14'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nothing.test': [],
}
const resolver: NameResolver = {
  async resolve(hostname) {
    const found = names[hostname]
    if (found === undefined) throw new NameResolutionFailed('no answer')
    return found
  },
}

function ask(url: string, allowLoopback = false) {
  const { target } = parseWebhookUrl(url)
  assert(target !== undefined, url)
  return resolveTarget(resolver, { allowLoopback, classify: classifyAddress }, target)
}

test('resolveTarget returns all addresses of a public name', async () => {
  assert.deepEqual(await ask('https://public.test'), {
    kind: 'usable',
    addresses: ['93.184.215.14', '2606:4700:4700::1111'],
    isLoopback: false,
  })
})

test('resolveTarget returns only the public addresses of a name that also has internal ones', async () => {
  for (const allowLoopback of [false, true]) {
    assert.deepEqual(await ask('https://mixed.test', allowLoopback), {
      kind: 'usable',
      addresses: ['93.184.215.14'],
      isLoopback: false,
    })
    assert.deepEqual(await ask('https://split.test', allowLoopback), {
      kind: 'usable',
      addresses: ['93.184.215.14'],
      isLoopback: false,
    })
  }
})

test('resolveTarget rejects a name without public addresses; the error names the kind of address but not the address itself', async () => {
  const found = await ask('https://private.test')
  assert(found.kind === 'not-allowed')
  assert.match(found.detail, /^private\.test resolves to a private address/)
  assert.doesNotMatch(found.detail, /10\.0\.0\.5|LOOPBACK/)
})

test('resolveTarget rejects a loopback receiver unless a setting allows it, and names that setting', async () => {
  for (const host of ['loopback.test', 'loopback.test:8443', '127.0.0.1', '[::1]:9000', '0x7f.1']) {
    const result = await ask(`https://${host}`)
    assert(result.kind === 'not-allowed', host)
    assert.match(result.detail, /loopback address.*WEBHOOK_ALLOW_LOOPBACK=true/, host)
    assert.deepEqual(await ask(`https://${host}`, true).then(({ kind }) => kind), 'usable', host)
  }
  assert.deepEqual(await ask('https://loopback.test:88', true), {
    kind: 'usable',
    addresses: ['127.0.0.1', '::1'],
    isLoopback: true,
  })
})

test('resolveTarget rejects a loopback address in an unusual spelling even if loopback is allowed', async () => {
  for (const host of [
    'mapped.test',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '[::]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '169.254.169.254',
  ]) {
    assert.equal((await ask(`https://${host}`, true)).kind, 'not-allowed', host)
  }
})

test('resolveTarget rejects a public receiver on a port that is reserved for other services, such as SSH', async () => {
  for (const allowLoopback of [false, true]) {
    const found = await ask('https://public.test:22', allowLoopback)
    assert(found.kind === 'not-allowed')
    assert.match(found.detail, /^Port 22 is not allowed/)
  }
  assert.equal((await ask('https://public.test:1024')).kind, 'usable')
})

test('resolveTarget reports a name as unreachable if it has no addresses or its lookup fails', async () => {
  for (const host of ['nothing.test', 'unanswered.test']) {
    const found = await ask(`https://${host}`)
    assert(found.kind === 'unreachable')
    assert.match(found.detail, new RegExp(host))
  }
})

test("resolveTarget rejects the operator's denied addresses and the service's own, and keeps the receiver's others", async () => {
  const { target } = parseWebhookUrl('https://public.test')
  assert(target !== undefined)
  const [v4 = '', v6 = ''] = names['public.test'] ?? []
  const judge = (denied: readonly string[], own: readonly string[]) =>
    resolveTarget(
      resolver,
      { allowLoopback: false, isDenied: (address) => denied.includes(address), ownAddresses: async () => new Set(own) },
      target,
    )
  assert.deepEqual(await judge([v4], []), { kind: 'usable', addresses: [v6], isLoopback: false })
  assert.deepEqual(await judge([], [v6]), { kind: 'usable', addresses: [v4], isLoopback: false })
  const denied = await judge([v4, v6], [])
  assert(denied.kind === 'not-allowed')
  assert.match(denied.detail, /^public\.test resolves to an address that the operator of this service forbids\./)
  const own = await judge([], [v4, v6])
  assert(own.kind === 'not-allowed')
  assert.match(own.detail, /^public\.test resolves to an address of this service itself\./)
})
