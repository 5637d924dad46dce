import { html, type TemplateResult } from 'lit-html'
import type { Operations } from '../api/partner-api.ts'
import type { OpenPage } from '../page.ts'
import { createLoader } from '../parts/loader.ts'
import { moment } from '../parts/moment.ts'
import { createPoller } from '../parts/poller.ts'
import { badge, webhookHref } from '../parts/webhook-words.ts'

type Replay = Operations['getReplay']['response']

/** The progress of a replay, updated until it ends. */
export const openReplay: OpenPage = (context, id) => {
  const reading = createLoader(context, 'the replay', () => context.call('getReplay', { id }))
  const watch = createPoller(context, async () => {
    const answer = await context.call('getReplay', { id })
    if (!context.isOpen()) return false
    // Shows what went wrong, with a button to try again.
    if (answer.failure !== null) void load()
    else {
      reading.set(answer.data)
      if (answer.data.status !== 'running') context.say({ text: ended[answer.data.status] })
    }
    return answer.data?.status === 'running'
  })
  const load = async () => {
    await reading.load()
    if (reading.data()?.status === 'running') watch()
  }
  return {
    title: 'Replay',
    trail: [{ href: '/console/webhooks', label: 'Webhooks' }],
    load,
    view: () => reading.view(shown),
  }
}

const ended = {
  completed: 'All messages are queued.',
  stopped: 'The replay stopped because the webhook was disabled.',
} as const
const looks = { running: 'waiting', completed: 'good', stopped: 'bad' } as const
const names = { running: 'Running', completed: 'Completed', stopped: 'Stopped' } as const

function shown({
  webhookId,
  status,
  since,
  until,
  redelivered,
  missed,
  createdAt,
  finishedAt,
}: Replay): TemplateResult {
  return html`<dl class="facts">
      <div>
        <dt>Status</dt>
        <dd>${badge(looks[status], names[status])} ${status === 'running' ? 'This page updates automatically.' : ended[status]}</dd>
      </div>
      <div>
        <dt>Failed deliveries queued again</dt>
        <dd>${redelivered}</dd>
      </div>
      <div>
        <dt>Missed events queued</dt>
        <dd>${missed}</dd>
      </div>
      <div>
        <dt>Events from</dt>
        <dd>${moment(since)} to ${moment(until)}</dd>
      </div>
      <div>
        <dt>Started</dt>
        <dd>${moment(createdAt)}</dd>
      </div>
      <div>
        <dt>Ended</dt>
        <dd>${finishedAt === null ? 'Not yet' : moment(finishedAt)}</dd>
      </div>
    </dl>
    <div class="buttons">
      <a href=${webhookHref(webhookId, 'deliveries')}>View the deliveries</a>
      <a href=${webhookHref(webhookId)}>View the webhook</a>
    </div>`
}
