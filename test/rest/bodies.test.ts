import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();
const store = await app.data.store();
const menuPath = `/v1/stores/${store.id}/menu_configuration/`;

describe('Content-Type', () => {
  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=latin1'],
    ['nonsense'],
  ])('a body of type %s is 415', async type => {
    const response = await app.post(menuPath, '{"items": []}', { 'content-type': type });
    expect(response.status).toBe(415);
    expect(response.body).toEqual({ detail: 'The body must be JSON in UTF-8, with Content-Type: application/json.' });
  });

  test('a compressed body is 415', async () => {
    expect((await app.post(menuPath, 'x', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  test.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['Application/JSON;charset="UTF-8"'],
    ['application/vnd.pos+json'],
  ])('a body of type %s is read', async type => {
    expect((await app.post(menuPath, '{"items": []}', { 'content-type': type })).status).toBe(200);
  });

  test('a body without a type is read as JSON', async () => {
    const bytes = new Blob([new Uint8Array(Buffer.from('{"items": []}'))]);
    expect((await app.send('POST', menuPath, { body: bytes })).status).toBe(200);
  });
});

describe('JSON types', () => {
  const withPrice = (price: string) =>
    `{"items":[{"external_id":"i","name":{"translations":{}},"price":${price},"tax":0,"sell_separately":true}]}`;

  test.each(['1.0', '-5', '9007199254740991', '1e3'])('%s is an integer', async price => {
    expect((await app.post(menuPath, withPrice(price))).status).toBe(200);
  });

  test.each([
    ['"1"', 'int_type', 'Input should be a valid integer'],
    ['true', 'int_type', 'Input should be a valid integer'],
    ['null', 'int_type', 'Input should be a valid integer'],
    ['1.5', 'int_from_float', 'Input should be a valid integer, got a number with a fractional part'],
    ['1e400', 'finite_number', 'Input should be a finite number'],
    ['9007199254740992', 'less_than_equal', 'Input should be less than or equal to 9007199254740991'],
  ])('%s is not an integer', async (price, type, msg) => {
    const response = await app.post(menuPath, withPrice(price));
    expect(response.status).toBe(422);
    expect(response.body).toEqual({ detail: [{ loc: ['body', 'items', 0, 'price'], msg, type }] });
  });
});

test('Unknown body fields are ignored', async () => {
  const response = await app.post(menuPath, { items: [], colour: 'red', __proto__: 1 });
  expect(response.status).toBe(200);
});

describe('Invalid JSON, empty body', () => {
  test('invalid JSON is json_invalid at its position', async () => {
    const response = await app.post(menuPath, '{"items": [x]}');
    expect(response.status).toBe(422);
    expect(response.body).toEqual({ detail: [{ loc: ['body', 11], msg: 'JSON decode error', type: 'json_invalid' }] });
  });

  test.each(['', 'null'])('a body that is %j is missing', async body => {
    const response = await app.post(menuPath, body);
    expect(response.status).toBe(422);
    expect(response.body).toEqual({ detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] });
  });

  test('no body at all is missing', async () => {
    const response = await app.send('POST', menuPath);
    expect(response.status).toBe(422);
    expect(response.body).toEqual({ detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] });
  });

  test('a body without items is missing them', async () => {
    const response = await app.post(menuPath, {});
    expect(response.body).toEqual({ detail: [{ loc: ['body', 'items'], msg: 'Field required', type: 'missing' }] });
  });

  test('JSON that nests deeper than 100 levels is json_invalid', async () => {
    const response = await app.post(menuPath, `{"items": [], "x": ${'['.repeat(101)}${']'.repeat(101)}}`);
    const msg = 'JSON decode error, nested deeper than 100 levels';
    expect(response.body).toEqual({ detail: [{ loc: ['body', 118], msg, type: 'json_invalid' }] });
  });

  test('the last one of duplicate keys wins', async () => {
    expect((await app.post(menuPath, '{"items": 1, "items": []}')).status).toBe(200);
  });

  test('a body that is not an object is model_attributes_type', async () => {
    const response = await app.post(menuPath, []);
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    expect(response.body).toEqual({ detail: [{ loc: ['body'], msg, type: 'model_attributes_type' }] });
  });
});
