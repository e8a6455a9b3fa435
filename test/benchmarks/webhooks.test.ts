import { expect, it } from 'vitest'
import { thisCheckout } from '#benchmarks/harness/checkout.ts'
import { Course } from '#benchmarks/hotPaths/course.ts'
import { expectEvents } from '#benchmarks/webhooks/webhookEvents.ts'
import { BESIDE_WEBHOOKS } from '#benchmarks/webhooks/webhooks.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { type Delivery, Receiver } from '../jobs/webhooks/receiver.ts'

const canRun = process.platform === 'linux' && findProgram({ names: ['cc'], aptPackage: 'gcc' }) !== null

it.skipIf(!canRun)('a commit is measured without webhooks and beside them, and every event arrives once', async () => {
  await Course.run(0.1, async course => {
    for (const path of BESIDE_WEBHOOKS) {
      const figures = await course.measure(path, thisCheckout())
      expect(Object.keys(figures)).toEqual(path.figures.map(({ name }) => name))
    }
  })
})

it('events that come twice, in another order or with another value fail the benchmark', async () => {
  const delivery = (ids: readonly string[]): Delivery => ({
    id: 'message',
    message: { type: 'trades', id: 'hook', cursor: '', reorgs: 0, data: ids.map(id => ({ id })) },
  })
  const receiver = new Receiver()
  const due = new Map([['hook', ['1', '2']]])
  receiver.deliveries.push(delivery(['1']), delivery(['2']))
  await expectEvents(receiver, due)
  for (const wrong of [
    ['1', '2', '2'],
    ['2', '1'],
    ['1', '3'],
  ]) {
    receiver.deliveries.splice(0, 2, delivery(wrong))
    await expect(expectEvents(receiver, due)).rejects.toThrow(`the webhook hook had ${wrong.join()}, not 1,2`)
  }
})
