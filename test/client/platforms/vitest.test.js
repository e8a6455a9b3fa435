import { use } from './use.mjs'

test('the packed client', async () => {
  expect(await use()).toEqual([process.env.NAME, process.env.NAME, 'begin'])
})
