import { html } from '../../pages/html.ts'
import { descriptionList, reloadLink } from '../../pages/lists.ts'
import { getReplayRoute } from '../../webhooks/replay/replay-webhook.route.ts'
import { type DeveloperPage, titled } from './developer-visit.ts'
import { moment, webhookPath } from './in-words.ts'

const states = {
  running: 'Running.',
  completed: 'Completed: all messages are queued.',
  stopped: 'Stopped, because the webhook was disabled.',
}

/** The progress of a replay. */
export const replayPage: DeveloperPage = {
  name: 'replay',
  path: 'replays/:id',
  may: 'webhooks:manage',
  async show({ call, parameters: { id } }) {
    const replay = await call(getReplayRoute, { id })
    const webhook = webhookPath(replay.webhookId)
    const body = html`<h1>Replay</h1>${descriptionList([
      ['Status', states[replay.status]],
      ['Failed deliveries queued again', replay.redelivered],
      ['Missed events queued', replay.missed],
      ['Events from', html`${moment(replay.since)} to ${moment(replay.until)}`],
      ['Started', moment(replay.createdAt)],
      ['Ended', replay.finishedAt === null ? 'Not yet' : moment(replay.finishedAt)],
    ])}${replay.status === 'running' && reloadLink()}
<p><a href="${webhook}/deliveries">View the deliveries</a> · <a href="${webhook}">View the webhook</a></p>`
    return titled('Replay', body, webhook)
  },
}
