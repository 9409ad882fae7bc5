export default () => globalThis.stopTestKafka?.();
