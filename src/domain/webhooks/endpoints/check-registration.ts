import { DomainError, type ErrorCode, type FieldError } from '../../../kernel/errors.ts'
import type { NameResolver } from '../egress/name-resolver.ts'
import { type EgressRules, resolveTarget } from '../egress/webhook-target.ts'
import { parseWebhookUrl } from '../egress/webhook-url.ts'

export interface UrlCheckDependencies {
  resolver: NameResolver
  egress: EgressRules
}

/** What is wrong with a webhook's URL, by its syntax or by the address it resolves to; empty if it may be used. */
export async function checkUrl({ resolver, egress }: UrlCheckDependencies, url: string): Promise<FieldError[]> {
  const { target, refusal } = parseWebhookUrl(url)
  if (refusal !== undefined) return [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: refusal }]
  const found = await resolveTarget(resolver, egress, target)
  switch (found.kind) {
    case 'usable':
      return []
    case 'not-allowed':
      return [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: found.detail }]
    case 'unreachable':
      return [{ pointer: '/url', code: 'webhook_url_unreachable', detail: found.detail }]
  }
}

/** Throws one error for all invalid fields: with their common code if they share a code of webhooks, else `validation_failed`. */
export function refuseBad(errors: readonly FieldError[]): void {
  const [first] = errors
  if (first === undefined) return
  const own: readonly ErrorCode[] = ['webhook_url_not_allowed', 'webhook_url_unreachable', 'webhook_event_unknown']
  const common = own.find((code) => errors.every((error) => error.code === code)) ?? 'validation_failed'
  const detail =
    errors.length === 1 ? first.detail : `${errors.length} fields are invalid. Each entry of errors says why.`
  throw new DomainError(common, detail, { fields: errors })
}
