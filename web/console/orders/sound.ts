const storageKey = 'carte.console.sound';

/** Two rising tones, in Hz, and their start in seconds. */
const tones = [
  { frequency: 660, at: 0 },
  { frequency: 880, at: 0.18 },
];

/** The sound of a new order. Browsers allow it only after the user has touched the page; the switch is remembered. */
export function createSound() {
  let isOn = localStorage.getItem(storageKey) !== 'off';
  let audio: AudioContext | undefined;

  const allow = () => {
    audio ??= new AudioContext();
    audio.resume();
  };
  const gestures = ['pointerdown', 'keydown'] as const;
  for (const gesture of gestures) addEventListener(gesture, allow, { once: true });

  return {
    isOn: () => isOn,
    toggle(): void {
      isOn = !isOn;
      localStorage.setItem(storageKey, isOn ? 'on' : 'off');
      if (isOn) this.ring();
    },
    ring(): void {
      if (!isOn || audio?.state !== 'running') return;
      for (const { frequency, at } of tones) play(audio, frequency, audio.currentTime + at);
    },
    close(): void {
      for (const gesture of gestures) removeEventListener(gesture, allow);
      audio?.close();
    },
  };
}

/** Fades in and out, since a tone that starts at once clicks. */
function play(audio: AudioContext, frequency: number, start: number): void {
  const oscillator = new OscillatorNode(audio, { frequency, type: 'sine' });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(0.4, start + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + 0.5);
}
