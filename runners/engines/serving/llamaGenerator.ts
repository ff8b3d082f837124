import { getLlama, type LlamaContext, LlamaLogLevel, type LlamaModel, type Token } from 'node-llama-cpp';
import type { EngineSettings } from '../engine.ts';
import { type ChatTemplate, chatTemplates } from './chatTemplate.ts';
import { GenerationFailed, type Generator, PromptTooLong } from './generator.ts';
import { createTextStream } from './textStream.ts';

/**
 * Loads a GGUF with llama.cpp on the CPU.
 *
 * Each request gets a new sequence and gives it back: nothing of one conversation is left for another.
 * A request's tokens depend on model, prompt and seed; which others share its batch can change the last bits of
 * a probability, so equality across loads is statistical, not bitwise.
 *
 * throws   Error of the library for files it can't load; hostile ones may end the process instead.
 */
export async function loadLlama(weightsPath: string, settings: EngineSettings): Promise<Generator> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    maxThreads: settings.threads,
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
  });
  const model = await llama.loadModel({ modelPath: weightsPath, useMmap: true, gpuLayers: 0 });
  const context = await model.createContext({
    sequences: settings.concurrencyMax,
    contextSize: settings.contextTokensMax,
    threads: settings.threads,
    flashAttention: false,
  });
  const template = chatTemplates[settings.template];
  return llamaGenerator(model, context, template, settings);
}

function llamaGenerator(
  model: LlamaModel,
  context: LlamaContext,
  template: ChatTemplate,
  settings: EngineSettings,
): Generator {
  const control = (text: string): Token => {
    const [token, ...more] = model.tokenize(text, true);
    if (token === undefined || more.length > 0)
      throw new Error(`the tokenizer doesn't know ${text} as one token`);
    return token;
  };
  const ends = new Set<Token>(template.endMarkers.map(control));
  const detokenize = (tokens: readonly number[], before: readonly number[]) =>
    model.detokenize(tokens as readonly Token[], false, before as readonly Token[]);

  return {
    async generate(request, onText, signal) {
      const prompt = template
        .render(request.messages)
        .flatMap((p) => (p.kind === 'control' ? [control(p.text)] : model.tokenize(p.text, false)));
      const room = settings.contextTokensMax - prompt.length;
      if (room < 1) throw new PromptTooLong(prompt.length, settings.contextTokensMax);
      const tokensMax = Math.min(request.max_tokens, settings.outputTokensMax, room);
      const text = createTextStream(detokenize, request.stop ?? []);
      const sequence = context.getSequence();
      let generatedTokens = 0;
      const end = (finish: 'stop' | 'length' | 'abort') => ({
        finish,
        usage: { promptTokens: prompt.length, cachedTokens: 0, generatedTokens },
      });
      try {
        const sampled = sequence.evaluate(prompt, {
          temperature: request.temperature,
          topK: request.top_k,
          topP: request.top_p,
          minP: request.min_p,
          seed: request.seed,
          yieldEogToken: true,
        });
        for await (const token of sampled) {
          generatedTokens += 1;
          if (ends.has(token) || model.isEogToken(token)) {
            onText(text.flush());
            return end('stop');
          }
          const piece = text.push(token);
          onText(piece.text);
          if (piece.isStopped) return end('stop');
          if (generatedTokens >= tokensMax) {
            onText(text.flush());
            return end('length');
          }
          if (signal.aborted) return end('abort');
        }
        return end('stop');
      } catch (error) {
        throw new GenerationFailed(end('abort').usage, error);
      } finally {
        await sequence.dispose();
      }
    },
  };
}
