import { randomUUID } from 'node:crypto'
import type { Script } from '../platform/outbound/scripted-server.ts'

/**
 * The part of a payment processor that card setup needs, in the Stripe wire format. It remembers idempotency keys and
 * intents.
 */
export function healthyProcessor(): Script {
  const intents = new Map<string, object>()
  const byKey = new Map<string, object>()

  function make(path: string, form: URLSearchParams): object {
    if (path.startsWith('/v1/customers')) return { id: path.split('/')[3] ?? `cus_${newName()}`, object: 'customer' }
    const id = `seti_${newName()}`
    const status = 'requires_payment_method'
    const client_secret = `${id}_secret_${newName()}`
    const intent = { object: 'setup_intent', id, customer: form.get('customer'), status, client_secret }
    intents.set(id, { ...intent, last_setup_error: null })
    return { ...intent, last_setup_error: null }
  }

  return async (request, response) => {
    const { method, url = '', headers } = request
    const key = String(headers['idempotency-key'])
    const path = url.split('?')[0] ?? ''
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    const answer = method === 'GET' ? intents.get(path.split('/')[3] ?? '') : (byKey.get(key) ?? make(path, form))
    if (answer !== undefined && method === 'POST' && 'idempotency-key' in headers) byKey.set(key, answer)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: { type: 'invalid_request_error', code: 'resource_missing' } }))
  }
}

function newName(): string {
  return randomUUID().replaceAll('-', '')
}
