const use = require('../use.cjs')

test('the packed client', async () => {
  expect(await use()).toEqual([process.env.NAME, process.env.NAME, 'begin'])
})

test.each(['candles', 'format', 'operator', 'react', 'rxjs'])('its entry %s', entry => {
  expect(Object.keys(require(`tokenwire/client/${entry}`)).length).toBeGreaterThan(0)
})
