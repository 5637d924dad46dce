import { decodeJwt } from 'jose'
import { errorResponses } from '../../../src/app/http/error-responses.ts'
import { routes } from '../../../src/app/http/routes.ts'
import { termsNotShown } from '../../../src/contracts/preview/prepare-agreement.ts'
import { contractNotCancellable } from '../../../src/contracts/termination/cancel-contract.ts'
import { earlyExitNotDefined } from '../../../src/contracts/termination/end-for-cause.ts'
import { eventTypes } from '../../../src/events/event.ts'
import { rateLimitExceeded } from '../../../src/partners/http/rate-limit.ts'
import { findCredential, updateAllowedFrom, updateSuspension } from '../../../src/partners/partners.store.ts'
import { type Problem, problemOf } from '../../../src/platform/http/errors/problem.ts'
import { asDomainError } from '../../../src/platform/http/plugins/error-handler.ts'
import { isoDate } from '../../../src/platform/kernel/dates.ts'
import { insertMissingProperties } from '../../../src/properties/properties.store.ts'
import { testMessage } from '../../../src/webhooks/messages/message.ts'
import { earnAtOnce } from '../../../test/back-office/start-commission.ts'
import { getToken } from '../../../test/support/client.ts'
import {
  allScopesBut,
  cipherOf,
  connectNewPartner,
  connectWithScopes,
  withDatabase,
} from '../../../test/support/partners.ts'
import { sendRaw } from '../../../test/support/raw-http.ts'
import { ordinaryProperty } from '../../../test/support/sample-properties.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { startReceiver } from '../../../test/webhooks/receiver-fixture.ts'
import {
  type ErrorContext,
  recordCustomerErrors,
  recordQuoteErrors,
  recordRequestErrors,
  recordWebhookErrors,
} from './errors.ts'
import { findAddress, recordOperations } from './journey.ts'
import { normalise } from './normalise.ts'
import { recordOperatorApi } from './operator.ts'
import { createRecorder, type Recorder, type Recording } from './recorder.ts'
import { exampleCredentials, recordTokens } from './token.ts'

/** The moment at which the examples happen. */
const startAt = new Date('2026-11-20T09:29:10.041Z')
const publicUrl = 'http://localhost:8080'
const wording = { publicUrl, errorResponses }
const exampleReceiver = 'https://partner.example/webhooks'

/** Starts a sandbox, walks through every operation and every error, and returns what was sent and received. */
export async function recordExamples(): Promise<Recording> {
  const recordedAt = new Date()
  const closers: (() => unknown)[] = []
  const receiver = await startReceiver({ after: (close) => void closers.push(close as () => unknown) })
  const service = await startTestService(
    { WEBHOOK_ALLOW_LOOPBACK: 'true', PUBLIC_URL: publicUrl },
    { clock: { now: () => startAt }, serverLimits: { headersMs: 2_000, requestMs: 2_000, checkEveryMs: 50 } },
  )
  try {
    const baseUrl = `http://127.0.0.1:${service.config.server.port}`
    const recorder = createRecorder({
      url: `${baseUrl}/partner-api`,
      token: await getToken(baseUrl, service.credentials),
      routes,
    })
    const { recording } = recorder
    const receiverUrl = `https://localhost:${receiver.port}/webhooks`
    const receive = async (count: number) => {
      for (let attempt = 0; receiver.received.length < count && attempt < 600; attempt++)
        await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const earn = (contractNumber: string) => earnAtOnce(service, contractNumber, { now: () => startAt })
    await recordOperations({ recorder, receiverUrl, receive, earn })
    for (const { message } of receiver.received) recording.messages[message.type] ??= message
    // Not everything happens here: no contract lasts until its end.
    for (const type of eventTypes) recording.messages[type] ??= JSON.parse(testMessage(type, startAt).body)
    await recordOperatorApi({ ...service, baseUrl }, recording)
    await recordTokens({ baseUrl, credentials: service.credentials, audience: service.config.auth.audience, recording })
    await recordErrors({ ...service, baseUrl }, recorder, receiverUrl)
    return normalise(recording, {
      texts: {
        [receiverUrl]: exampleReceiver,
        'https://localhost:9/webhooks': 'https://back-office.example/housebill',
        [service.credentials.clientId]: exampleCredentials.clientId,
        [service.credentials.clientSecret]: exampleCredentials.clientSecret,
      },
      startAt,
      recordedAt,
    })
  } finally {
    await service.stop()
    for (const close of closers) await close()
  }
}

async function recordErrors(service: TestService, recorder: Recorder, receiverUrl: string): Promise<void> {
  const unserviceable = {
    ...ordinaryProperty(),
    addressUid: 'address_01h455vb4pex5vsknk084sn02z',
    postcode: 'BT7 1NN',
    mpan: null,
    uprn: '42',
  }
  await withDatabase(service, (db) => insertMissingProperties(db, [unserviceable]))
  const context: ErrorContext = {
    recorder,
    addressUid: await findAddress(recorder),
    unserviceableUid: unserviceable.addressUid,
    uncheckedUid: ordinaryProperty(100).addressUid,
    receiverUrl,
  }
  await recordRequestErrors(context)
  await recordQuoteErrors(context)
  await recordCustomerErrors(context)
  await recordWebhookErrors(context)
  const { errors } = recorder.recording
  const limited = await connectWithScopes(service, allScopesBut('quotes:read'))
  errors.insufficient_scope = (await limited.get('/Quotes')).body
  const elsewhere = await connectWithScopes(service, ['quotes:read'])
  const { client_id: elsewhereId } = decodeJwt<{ client_id: string }>(elsewhere.token)
  await withDatabase(service, (db) => updateAllowedFrom(db, elsewhereId, ['192.0.2.0/24']))
  errors.address_not_allowed = (await elsewhere.get('/Quotes')).body
  const suspended = await connectNewPartner(service)
  const { client_id: suspendedId } = decodeJwt<{ client_id: string }>(suspended.token)
  await withDatabase(service, async (db) => {
    const credential = await findCredential(db, await cipherOf(service), suspendedId)
    await updateSuspension(db, credential?.partnerId ?? '', new Date())
  })
  errors.partner_suspended = (await suspended.get('/Quotes')).body
  errors.method_not_allowed = (await limited.send('PUT', '/Quotes')).body
  errors.request_timeout = await timedOut(service.baseUrl)
  // The server's own functions make these two, because no request can cause them on purpose.
  const { requestId } = errors.request_timeout as Problem
  const noRequest = { raw: { destroyed: false, complete: true }, routeOptions: {} } as Parameters<
    typeof asDomainError
  >[1]
  errors.internal_error = problemOf(asDomainError(new Error('unexpected'), noRequest), requestId, wording)
  // Only a service with REQUIRE_PREVIEW=on returns this one.
  errors.terms_not_shown = problemOf(termsNotShown(), requestId, wording)
  // These two need two weeks, and an operator without figures.
  errors.contract_not_cancellable = problemOf(
    contractNotCancellable(isoDate('2026-12-04'), { endedOn: null }),
    requestId,
    wording,
  )
  errors.early_exit_not_defined = problemOf(earlyExitNotDefined(), requestId, wording)
  const policy = { name: 'default', quota: 100, windowSeconds: 1 }
  errors.rate_limited = problemOf(rateLimitExceeded(policy, { total: 101, msLeft: 1_000 }), requestId, wording)
}

/** The response to a request whose body never arrives. */
async function timedOut(baseUrl: string): Promise<unknown> {
  const head = 'POST /partner-api/Quotes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const { body } = await sendRaw(baseUrl, `${head}Content-Length: 100\r\n\r\n{`)
  return JSON.parse(body)
}
