import type { OpenPage } from './page.ts'
import { openDeleteWebhook } from './pages/delete-webhook.ts'
import { openDeliveries } from './pages/deliveries.ts'
import { openDelivery } from './pages/delivery.ts'
import { openEditWebhook } from './pages/edit-webhook.ts'
import { openEvent } from './pages/event.ts'
import { openEvents } from './pages/events.ts'
import { openNotFound } from './pages/not-found.ts'
import { openRegisterWebhook } from './pages/register-webhook.ts'
import { openReplay } from './pages/replay.ts'
import { openReplayWebhook } from './pages/replay-webhook.ts'
import { openRotateSecret } from './pages/rotate-secret.ts'
import { openWebhook } from './pages/webhook.ts'
import { openWebhooks } from './pages/webhooks.ts'

/** Every page by its path below `/console`; `:id` matches one path segment. */
const pages: Readonly<Record<string, OpenPage>> = {
  '/webhooks': openWebhooks,
  '/webhooks/new': openRegisterWebhook,
  '/webhooks/:id': openWebhook,
  '/webhooks/:id/edit': openEditWebhook,
  '/webhooks/:id/secret': openRotateSecret,
  '/webhooks/:id/replay': openReplayWebhook,
  '/webhooks/:id/delete': openDeleteWebhook,
  '/webhooks/:id/deliveries': openDeliveries,
  '/deliveries/:id': openDelivery,
  '/replays/:id': openReplay,
  '/events': openEvents,
  '/events/:id': openEvent,
}

const patterns = Object.entries(pages).map(([path, open]) => ({
  open,
  pattern: new RegExp(`^/console${path.replace(':id', '([^/]+)')}/?$`, 'i'),
}))

/** Finds the page for a path, and the id in the path; the id is empty if the path has none. */
export function findPage(path: string): { open: OpenPage; id: string } {
  for (const { open, pattern } of patterns) {
    const match = pattern.exec(path)
    if (match !== null) return { open, id: decoded(match[1] ?? '') }
  }
  return { open: openNotFound, id: '' }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Pass on an invalid percent escape; the API will report that the id is unknown.
    return part
  }
}
