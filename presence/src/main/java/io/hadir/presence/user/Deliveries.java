package io.hadir.presence.user;

import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.UserStore.Counted;
import io.hadir.presence.user.UserStore.News;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Counts messages for their recipients, many at once, and notifies each node once for many users. */
final class Deliveries {
    private static final int AT_ONCE = 250;

    private final UserStore store;

    Deliveries(UserStore store) {
        this.store = store;
    }

    CompletionStage<List<Delivery>> deliver(Message message) {
        List<UserId> recipients = message.recipients().stream()
                .filter(recipient -> !recipient.equals(message.sender()))
                .distinct()
                .toList();
        return deliver(message, recipients, new ArrayList<>(recipients.size()));
    }

    private CompletionStage<List<Delivery>> deliver(Message message, List<UserId> left, List<Delivery> done) {
        if (left.isEmpty()) {
            return CompletableFuture.completedFuture(done);
        }
        int end = Math.min(AT_ONCE, left.size());
        List<CompletableFuture<Counted>> counting = left.subList(0, end).stream()
                .map(user -> store.count(message.room(), user).toCompletableFuture())
                .toList();
        return Stages.all(counting)
                .handle((all, failed) -> {
                    // A failure for some users must not cost the others their notification.
                    List<Counted> counted = counting.stream()
                            .filter(one -> !one.isCompletedExceptionally())
                            .map(CompletableFuture::join)
                            .toList();
                    notifyNodes(message, counted);
                    counted.forEach(one -> done.add(one.delivery()));
                    return failed == null
                            ? deliver(message, left.subList(end, left.size()), done)
                            : CompletableFuture.<List<Delivery>>failedStage(failed);
                })
                .thenCompose(next -> next);
    }

    private void notifyNodes(Message message, List<Counted> counted) {
        Map<String, Map<UserId, Long>> byNode = new HashMap<>();
        for (Counted one : counted) {
            Delivery delivery = one.delivery();
            if (delivery.online() && delivery.shouldNotify()) {
                one.nodes()
                        .forEach(node -> byNode.computeIfAbsent(node, any -> new LinkedHashMap<>())
                                .put(delivery.user(), delivery.unread()));
            }
        }
        byNode.forEach((node, unread) ->
                store.notify(node, new News(message.room(), message.sender(), message.data(), unread)));
    }
}
