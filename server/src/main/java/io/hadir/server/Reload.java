package io.hadir.server;

import io.hadir.server.config.ConfigException;
import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration file again on SIGHUP. Without a file, the signal ends the server, as it does when a terminal
 * closes.
 */
record Reload(Flags flags, Map<String, String> environment) {

    void onSignal(Hadir hadir) {
        if (!ConfigLoader.hasFile(flags, environment)) {
            return;
        }
        try {
            // By reflection, because the compiler's warning about this class, which every JDK has, cannot be turned
            // off.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    Reload.class.getClassLoader(), new Class<?>[] {handler}, (self, method, given) -> {
                        if (method.getName().equals("handle")) {
                            take(hadir);
                            return null;
                        }
                        return method.getName().equals("equals")
                                ? given[0] == self
                                : method.getName().equals("hashCode") ? 0 : "reload";
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
        } catch (ReflectiveOperationException | RuntimeException unsupported) {
            log().warn("SIGHUP cannot reload the configuration here: {}", unsupported.toString());
        }
    }

    private void take(Hadir hadir) {
        try {
            hadir.take(ConfigLoader.load(flags, environment).config());
        } catch (ConfigException wrong) {
            wrong.problems().forEach(problem -> log().warn("The configuration stays as it is: {}", problem));
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(Reload.class);
    }
}
