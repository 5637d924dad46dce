import { type ErrorCode, type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import type { NameResolver } from '../../platform/outbound/name-resolver.ts'
import { type EgressRules, resolveTarget } from '../egress/webhook-target.ts'
import { parseWebhookUrl } from '../egress/webhook-url.ts'

export interface UrlCheckDependencies {
  resolver: NameResolver
  egress: EgressRules
}

/**
 * What is wrong with the syntax of a webhook's URL or with the address to which it resolves; empty if it may be used.
 */
export async function checkUrl({ resolver, egress }: UrlCheckDependencies, url: string): Promise<FieldError[]> {
  const { target, rejection } = parseWebhookUrl(url)
  if (rejection !== undefined) return [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: rejection }]
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

/**
 * If any fields are invalid, throws a single error that covers all of them. If every invalid field has the same
 * webhook-specific code, the error has that code; otherwise it has `validation_failed`.
 */
export function throwIfInvalid(errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  const own: readonly ErrorCode[] = ['webhook_url_not_allowed', 'webhook_url_unreachable', 'webhook_event_unknown']
  const common = own.find((code) => errors.every((error) => error.code === code))
  throw invalidFields(errors, common)
}
