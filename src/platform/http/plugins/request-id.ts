import type { IncomingMessage } from 'node:http'
import { newId } from '../../kernel/ids.ts'

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** Keeps a valid incoming X-Request-Id, so partners can follow a call through both systems' logs. */
export function requestIdOf(request: IncomingMessage): string {
  const incoming = request.headers['x-request-id']
  return typeof incoming === 'string' && validRequestId.test(incoming) ? incoming : newId('request')
}
