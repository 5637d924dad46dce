import assert from 'node:assert/strict'
import { type DescribedOperation, readClientSource } from '../../scripts/generated/clients/described-operations.ts'
import { recordOperations } from '../../scripts/generated/examples/journey.ts'
import type { CallInput, Recorder } from '../../scripts/generated/examples/recorder.ts'
import { published } from '../support/openapi-responses.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** The operations of the API document. */
export const { operations } = readClientSource(published.partner)

/** Calls one operation with a client, and returns the body of its response. */
export type CallOperation = (operation: DescribedOperation, input: CallInput) => Promise<unknown>

/**
 * Starts a sandbox and calls every operation with the client that `connect` makes, in the order in which a partner
 * would. Returns the names of the operations that were called.
 */
export async function walkEveryOperation(connect: (service: TestService) => CallOperation): Promise<Set<string>> {
  const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
  try {
    const called = new Set<string>()
    const callOperation = connect(service)
    const call = async <Body>(operationId: string, input: CallInput = {}) => {
      const operation = operations.find((each) => each.operationId === operationId)
      assert.ok(operation !== undefined, operationId)
      called.add(operationId)
      return (await callOperation(operation, input)) as Body
    }
    const recorder: Recorder = {
      recording: { operations: {}, errors: {}, messages: {}, tokenErrors: {} },
      call,
      peek: call,
      fail: () => assert.fail('the walk causes no errors'),
    }
    await recordOperations({ recorder, work: async () => undefined })
    await callForTokens(recorder, service)
    return called
  } finally {
    await service.stop()
  }
}

/** Calls the operations of the identity provider. */
async function callForTokens({ call }: Recorder, { credentials, config }: TestService): Promise<void> {
  const form = {
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    grant_type: 'client_credentials',
    audience: config.auth.audience,
  }
  await call('issueToken', { body: credentials })
  const { access_token } = await call<{ access_token: string }>('issueTokenAsProvider', { body: form })
  await call('revokeToken', { body: { ...credentials, token: access_token } })
  await call('getSigningKeys')
  await call('getAuthorizationServerMetadata')
}
